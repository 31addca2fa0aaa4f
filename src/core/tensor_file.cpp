#include "strata/core/tensor_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

#include "core/json.h"
#include "core/json_text.h"
#include "strata/core/errors.h"
#include "strata/core/write_file.h"

namespace strata {

namespace {

using Json = nlohmann::json;

constexpr std::size_t word = 8;  // bytes of the length, and of each value of both types
constexpr std::string_view metadata_key = "__metadata__";

// The checksum is that of the whole file with zeros for its own digits.
constexpr std::string_view checksum_key = "strata.checksum";
constexpr std::string_view checksum_kind = "crc32:";
constexpr std::string_view zeros = "00000000";

std::string checksum(std::string_view before, std::string_view after) {
  uLong sum = 0;
  for (const std::string_view part : {before, zeros, after})
    sum = ::crc32_z(sum, reinterpret_cast<const Bytef*>(part.data()), part.size());
  return fmt::format("{:0{}x}", sum, zeros.size());
}

// `"strata.checksum":"crc32:`, after which the digits stand.
std::string checksum_mark() { return fmt::format("\"{}\":\"{}", checksum_key, checksum_kind); }

void append_word(std::string& bytes, std::uint64_t value) {
  for (unsigned byte = 0; byte < word; ++byte) bytes.push_back(static_cast<char>(value >> (8 * byte)));
}

std::uint64_t word_at(std::string_view bytes, std::size_t position) {
  std::uint64_t value = 0;
  for (unsigned byte = 0; byte < word; ++byte)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[position + byte])} << (8 * byte);
  return value;
}

// Bytes of a tensor, or nothing when they are more than a size can count.
std::optional<std::size_t> byte_count(const std::vector<std::size_t>& shape) {
  if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) return 0;
  std::size_t bytes = word;
  for (const std::size_t length : shape) {
    if (bytes > std::numeric_limits<std::size_t>::max() / length) return std::nullopt;
    bytes *= length;
  }
  return bytes;
}

std::size_t value_count(const Tensor& tensor) {
  return std::visit([](const auto& values) { return values.size(); }, tensor.values);
}

// One tensor as the header describes it; the data lie at begin .. end, counted from the end of the header.
struct Entry {
  std::string name;
  bool integers = false;
  std::vector<std::size_t> shape;
  std::size_t begin = 0;
  std::size_t end = 0;
};

class Parser {
 public:
  Parser(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  TensorFile parse() {
    TensorFile contents;
    contents.file = file_;
    const JsonDocument document = parse_json(header_text(), file_, "the header");
    const Json& header = document.root();
    if (!header.is_object()) refuse("the header is no JSON object");
    if (header.size() > max_tensors + 1)
      refuse(fmt::format("the header lists {} tensors, more than {}", header.size(), max_tensors));
    if (const auto texts = header.find(metadata_key); texts != header.end())
      contents.metadata = metadata(*texts);
    check_sum(contents.metadata);
    std::vector<Entry> entries;
    for (const auto& [name, value] : header.items())
      if (name != metadata_key) entries.push_back(entry(name, value));
    check_places(entries);
    for (Entry& one : entries) contents.tensors.push_back(tensor(one));
    return contents;
  }

 private:
  [[noreturn]] void refuse(std::string_view problem) const {
    throw DataError({file_}, fmt::format("{}; the file is damaged, or of another kind", problem));
  }

  std::string_view header_text() {
    if (bytes_.size() < word)
      refuse(fmt::format("it ends after {} bytes, before the length of its header", bytes_.size()));
    const std::uint64_t length = word_at(bytes_, 0);
    if (length > max_tensor_header)
      refuse(fmt::format("its header would have {} bytes, more than {}", length, max_tensor_header));
    if (length > bytes_.size() - word)
      refuse(fmt::format("its header has {} bytes, but only {} follow", length, bytes_.size() - word));
    data_ = bytes_.substr(word + length);
    return bytes_.substr(word, length);
  }

  std::map<std::string, std::string> metadata(const Json& json) const {
    if (!json.is_object()) refuse(fmt::format("'{}' is no JSON object", metadata_key));
    std::map<std::string, std::string> texts;
    for (const auto& [key, value] : json.items()) {
      if (!value.is_string()) refuse(fmt::format("the metadata '{}' is no text", key));
      texts.emplace(key, value.get<std::string>());
    }
    return texts;
  }

  // Files of earlier versions, and of other programs, have no checksum. It is no part of the contents.
  void check_sum(std::map<std::string, std::string>& metadata) const {
    const auto stored = metadata.find(std::string(checksum_key));
    if (stored == metadata.end()) return;
    const std::string mark = checksum_mark();
    const std::size_t found = bytes_.find(mark);
    const std::size_t digits = found + mark.size();
    if (found == std::string_view::npos || bytes_.size() - digits < zeros.size())
      refuse("its checksum is of an unknown kind");
    const std::string computed = checksum(bytes_.substr(0, digits), bytes_.substr(digits + zeros.size()));
    if (stored->second != std::string(checksum_kind) + computed)
      refuse(fmt::format("its checksum is '{}' where its contents have '{}{}'", stored->second, checksum_kind,
                         computed));
    metadata.erase(stored);
  }

  // Member `key` of the description of tensor `name`: a list of sizes.
  std::vector<std::size_t> sizes(const std::string& name, const Json& json, const char* key) const {
    const auto found = json.find(key);
    const bool usable =
        found != json.end() && found->is_array() &&
        std::all_of(found->begin(), found->end(), [](const Json& size) { return size.is_number_unsigned(); });
    if (!usable) refuse(fmt::format("tensor '{}' has no usable '{}'", name, key));
    return found->get<std::vector<std::size_t>>();
  }

  Entry entry(const std::string& name, const Json& json) const {
    if (!json.is_object()) refuse(fmt::format("tensor '{}' is not described by a JSON object", name));
    const auto found = json.find("dtype");
    if (found == json.end() || !found->is_string()) refuse(fmt::format("tensor '{}' has no 'dtype'", name));
    const auto& type = found->get_ref<const std::string&>();
    if (type != "F64" && type != "U64")
      refuse(fmt::format("tensor '{}' has the type '{}', and F64 and U64 are the types of this format", name,
                         type));
    Entry one{.name = name, .integers = type == "U64", .shape = sizes(name, json, "shape")};
    const std::vector<std::size_t> offsets = sizes(name, json, "data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1])
      refuse(fmt::format("tensor '{}' has no usable 'data_offsets'", name));
    one.begin = offsets[0];
    one.end = offsets[1];
    const auto bytes = byte_count(one.shape);
    if (!bytes) refuse(fmt::format("the shape of tensor '{}' is too large", name));
    if (*bytes != one.end - one.begin)
      refuse(fmt::format("tensor '{}' needs {} bytes, and its offsets give it {}", name, *bytes,
                         one.end - one.begin));
    return one;
  }

  // Sorts the tensors by place and sees that they fill the data: no gap, no overlap, nothing over.
  void check_places(std::vector<Entry>& entries) const {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    std::size_t filled = 0;
    for (const Entry& one : entries) {
      if (one.begin != filled)
        refuse(fmt::format("tensor '{}' begins at byte {} of the data, and {} are taken", one.name, one.begin,
                           filled));
      filled = one.end;
    }
    if (filled != data_.size())
      refuse(fmt::format("its tensors fill {} bytes, and {} follow the header", filled, data_.size()));
  }

  [[nodiscard]] Tensor tensor(Entry& one) const {
    const std::size_t count = (one.end - one.begin) / word;
    Tensor read{.name = std::move(one.name), .shape = std::move(one.shape), .values = {}};
    if (one.integers) {
      std::vector<std::uint64_t> values(count);
      for (std::size_t i = 0; i < count; ++i) values[i] = word_at(data_, one.begin + word * i);
      read.values = std::move(values);
    } else {
      Vector values(count);
      for (std::size_t i = 0; i < count; ++i)
        values[i] = std::bit_cast<double>(word_at(data_, one.begin + word * i));
      read.values = std::move(values);
    }
    return read;
  }

  std::string_view bytes_;
  std::string_view data_;
  const std::string& file_;
};

// What the reader would refuse is not written in the first place.
void check(const TensorFile& contents) {
  std::set<std::string_view> names{metadata_key};
  for (const Tensor& tensor : contents.tensors) {
    if (!names.insert(tensor.name).second)
      throw Error(fmt::format("the tensor name '{}' is used twice or reserved; choose another", tensor.name));
    if (byte_count(tensor.shape) != word * value_count(tensor))
      throw Error(fmt::format("tensor '{}' has {} values, which its shape does not hold; correct the shape",
                              tensor.name, value_count(tensor)));
  }
  if (contents.metadata.contains(std::string(checksum_key)))
    throw Error(fmt::format("the metadata name '{}' is reserved; choose another", checksum_key));
  if (contents.tensors.size() > max_tensors)
    throw Error(fmt::format("{} tensors are more than a file may hold ({}); join some",
                            contents.tensors.size(), max_tensors));
}

void describe(JsonText& header, const Tensor& tensor, std::size_t begin, std::size_t end) {
  header.name(tensor.name).begin_object();
  header.member("dtype", std::holds_alternative<Vector>(tensor.values) ? "F64" : "U64");
  header.member("shape", tensor.shape);
  header.name("data_offsets").begin_list().value(begin).value(end).end_list();
  header.end_object();
}

std::string header_of(const TensorFile& contents) {
  JsonText header;
  header.begin_object();
  header.name(metadata_key).begin_object();
  header.member(checksum_key, fmt::format("{}{}", checksum_kind, zeros));
  for (const auto& [key, text] : contents.metadata) header.member(key, text);
  header.end_object();
  std::size_t begin = 0;
  for (const Tensor& tensor : contents.tensors) {
    const std::size_t end = begin + word * value_count(tensor);
    describe(header, tensor, begin, end);
    begin = end;
  }
  header.end_object();
  std::string text = std::move(header.text());
  text.resize((text.size() + word - 1) / word * word, ' ');  // so that the data are aligned in the file
  if (text.size() > max_tensor_header)
    throw Error(fmt::format("the names and texts to be stored take {} bytes, more than {}; shorten them",
                            text.size(), max_tensor_header));
  return text;
}

// The length comes first and is checked before the rest is read: a file of another kind may be endless.
std::string read_bytes(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    throw DataError({path.string()}, "this is a directory; name a file in it");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw DataError({path.string()}, "the file cannot be opened; check its name and permissions");
  std::string bytes;
  const auto append = [&](std::size_t count) {
    const std::size_t kept = bytes.size();
    bytes.resize(kept + count);
    in.read(bytes.data() + kept, static_cast<std::streamsize>(count));
    bytes.resize(kept + static_cast<std::size_t>(in.gcount()));
  };
  append(word);
  if (in && word_at(bytes, 0) > 0 && word_at(bytes, 0) <= max_tensor_header)
    while (in) append(std::size_t{1} << 16U);
  if (in.bad()) throw DataError({path.string()}, "the file cannot be read; check the disk");
  return bytes;
}

}  // namespace

const Tensor& TensorFile::tensor(std::string_view name) const {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& one) { return one.name == name; });
  if (found == tensors.end()) throw DataError({file}, fmt::format("there is no tensor '{}' in it", name));
  return *found;
}

const Vector& TensorFile::numbers(std::string_view name) const {
  if (const auto* values = std::get_if<Vector>(&tensor(name).values)) return *values;
  throw DataError({file}, fmt::format("tensor '{}' holds integers where numbers are expected", name));
}

const std::vector<std::uint64_t>& TensorFile::integers(std::string_view name) const {
  if (const auto* values = std::get_if<std::vector<std::uint64_t>>(&tensor(name).values)) return *values;
  throw DataError({file}, fmt::format("tensor '{}' holds numbers where integers are expected", name));
}

const std::string& TensorFile::text(const std::string& key) const {
  const auto found = metadata.find(key);
  if (found == metadata.end()) throw DataError({file}, fmt::format("there is no metadata '{}' in it", key));
  return found->second;
}

TensorFile parse_tensor_file(std::string_view bytes, const std::string& file) {
  return Parser(bytes, file).parse();
}

TensorFile read_tensor_file(const std::filesystem::path& path) {
  return parse_tensor_file(read_bytes(path), path.string());
}

std::string tensor_file_bytes(const TensorFile& contents) {
  check(contents);
  const std::string header = header_of(contents);
  std::size_t size = word + header.size();
  for (const Tensor& tensor : contents.tensors) size += word * value_count(tensor);
  std::string bytes;
  bytes.reserve(size);
  append_word(bytes, header.size());
  bytes += header;
  for (const Tensor& tensor : contents.tensors)
    std::visit(
        [&](const auto& values) {
          for (const auto value : values) append_word(bytes, std::bit_cast<std::uint64_t>(value));
        },
        tensor.values);
  const std::size_t digits = bytes.find(checksum_mark()) + checksum_mark().size();
  const std::string_view whole = bytes;
  bytes.replace(digits, zeros.size(), checksum(whole.substr(0, digits), whole.substr(digits + zeros.size())));
  return bytes;
}

void write_tensor_file(const std::filesystem::path& path, const TensorFile& contents) {
  write_file_atomically(path, tensor_file_bytes(contents));
}

}  // namespace strata
