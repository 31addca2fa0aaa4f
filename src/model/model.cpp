#include "strata/model/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/json.h"
#include "core/json_text.h"
#include "model/interval.h"
#include "strata/core/errors.h"
#include "strata/core/tensor_file.h"
#include "strata/core/write_file.h"

namespace strata {

namespace {

using Stored = nlohmann::json;  // read: finds names fast in any amount

constexpr int schema = 3;         // the first layer has tables, or there are several networks
constexpr int loss_schema = 2;    // there are loss and temperature
constexpr int oldest_schema = 1;  // without: regression by the squared loss
constexpr auto schema_key = "strata.schema";
constexpr auto architecture_key = "strata.architecture";
constexpr auto preprocessing_key = "strata.preprocessing";
constexpr auto training_key = "strata.training";
constexpr auto loss_key = "strata.loss";
constexpr auto temperature_key = "strata.temperature";
constexpr auto members_key = "strata.members";
constexpr auto conformal_key = "strata.conformal";

std::string tensor_name(std::size_t member, std::size_t layer) {
  return member == 0 ? fmt::format("layer.{}.weights", layer)
                     : fmt::format("member.{}.layer.{}.weights", member, layer);
}

// The object, open for more members.
JsonText& begin(JsonText& json, const Architecture& architecture) {
  std::vector<std::string_view> activations;
  for (const Activation activation : architecture.activations) activations.push_back(to_string(activation));
  json.begin_object()
      .member("inputs", architecture.inputs)
      .member("hidden", architecture.hidden)
      .member("outputs", architecture.outputs)
      .member("activation", to_string(architecture.activation))
      .member("activations", activations)
      .member("bias", to_string(architecture.bias));
  if (architecture.is_radial(0)) json.member("radial_width", architecture.radial_width);
  if (!architecture.columns.empty()) {
    json.name("columns").begin_list();
    for (const ColumnBasis& column : architecture.columns) {
      json.begin_object()
          .member("kind", to_string(column.kind))
          .member("knots", column.knots)
          .member("categories", column.categories)
          .member("missing", column.missing);
      if (column.sum)
        json.name("sum")
            .begin_object()
            .member("inputs", std::vector(column.sum->inputs.begin(), column.sum->inputs.end()))
            .member("factors", std::vector(column.sum->factors.begin(), column.sum->factors.end()))
            .end_object();
      json.end_object();
    }
    json.end_list();
  }
  return json;
}

std::string to_json(const Architecture& architecture) {
  JsonText json;
  return begin(json, architecture).end_object().text();
}

// What a model file says, each part checked before the next one relies on it.
class Reader {
 public:
  explicit Reader(TensorFile file) : file_(std::move(file)) {
    for (const Tensor& tensor : file_.tensors) tensors_.emplace(tensor.name, &tensor);
  }

  Model read() {
    schema_ = read_schema();
    Preprocessor preprocessor = read_preprocessor();
    const Architecture architecture = read_architecture();
    const LossChoice loss = read_loss(preprocessor);
    check_fit(architecture, preprocessor, loss);
    const std::size_t members = read_members(architecture);
    for (std::size_t m = 0; m < members; ++m) check_tensors(m, architecture);
    std::vector<Network> networks;
    for (std::size_t m = 0; m < members; ++m) networks.push_back(read_network(m, architecture));
    ConformalScores conformal = read_conformal(preprocessor);
    Model model{std::move(networks), std::move(preprocessor), read_training(), loss,
                read_temperature(),  std::move(conformal)};
    if (!folds_fit(model))
      refuse(fmt::format("{} does not fit the networks; the file is damaged", label(conformal_key)));
    return model;
  }

 private:
  // Folds hold all the networks there are, two or more where their spread counts.
  static bool folds_fit(const Model& model) {
    const ConformalScores& scores = model.conformal;
    if (scores.folds.empty()) return scores.offsets.empty();
    const bool by_spread = !scores.offsets.empty();
    std::size_t left = model.networks.size();
    for (const std::size_t fold : scores.folds) {
      if (fold < (by_spread ? 2 : 1) || fold > left) return false;
      left -= fold;
    }
    if (left > 0) return false;
    return by_spread ? has_plain_bounds(model) : !model.preprocessor.classes().empty();
  }

  [[noreturn]] void refuse(std::string_view problem) const { throw DataError({file_.file}, problem); }

  const std::string& text(const char* key) const {
    if (!file_.metadata.contains(key))
      refuse(fmt::format("the metadata '{}' is missing, so this is no model of Strata", key));
    return file_.text(key);
  }

  int read_schema() const {
    const std::string& found = text(schema_key);
    for (int known = oldest_schema; known <= schema; ++known)
      if (found == std::to_string(known)) return known;
    const bool number =
        !found.empty() && found.size() < 10 && found.find_first_not_of("0123456789") == std::string::npos;
    if (number && std::stoi(found) > schema)
      refuse(fmt::format("made by a newer Strata: schema {}, this one reads {}", found, schema));
    refuse(fmt::format("the metadata '{}' is '{}' where this Strata reads {} to {}", schema_key, found,
                       oldest_schema, schema));
  }

  bool has_loss() const { return schema_ >= loss_schema; }

  LossChoice read_loss(const Preprocessor& preprocessor) const {
    if (!has_loss()) return {};
    try {
      const LossChoice stored = LossChoice::from_json(text(loss_key));
      return loss_for(preprocessor, stored.name, stored.options);
    } catch (const Error& problem) {
      refuse(fmt::format("{} cannot be used ({})", label(loss_key), problem.what()));
    }
  }

  double read_temperature() const {
    if (!has_loss()) return 1;
    const JsonDocument document = parse_json(text(temperature_key), file_.file, label(temperature_key));
    const Stored& json = document.root();
    if (!json.is_number() || !(json.get<double>() > 0) || !std::isfinite(json.get<double>()))
      refuse(fmt::format("{} is no positive number", label(temperature_key)));
    return json.get<double>();
  }

  ConformalScores read_conformal(const Preprocessor& preprocessor) const {
    if (!file_.metadata.contains(conformal_key)) return {};
    ConformalScores read = ConformalScores::from_json(text(conformal_key), file_.file);
    const bool of_folds = read.offsets.empty() && !read.folds.empty();
    if (read.sorted.size() != (of_folds ? read.folds.size() : preprocessor.outputs()))
      refuse(fmt::format("{} does not fit the targets; the file is damaged", label(conformal_key)));
    return read;
  }

  Preprocessor read_preprocessor() const {
    parse_json(text(preprocessing_key), file_.file, label(preprocessing_key));
    try {
      return Preprocessor::from_json(text(preprocessing_key));
    } catch (const Error& problem) {
      refuse(fmt::format("{} cannot be used ({})", label(preprocessing_key), problem.what()));
    }
  }

  Architecture read_architecture() const {
    const JsonDocument document = parse_json(text(architecture_key), file_.file, label(architecture_key));
    const Stored& json = document.root();
    try {
      Architecture read{.inputs = size(json.at("inputs")), .hidden = {}, .outputs = size(json.at("outputs"))};
      for (const Stored& width : list(json.at("hidden"))) read.hidden.push_back(size(width));
      read.activation = activation_from(json.at("activation").get<std::string>());
      for (const Stored& name : list(json.at("activations")))
        read.activations.push_back(activation_from(name.get<std::string>()));
      read.bias = bias_from(json.at("bias").get<std::string>());
      if (json.contains("radial_width")) read.radial_width = json.at("radial_width").get<double>();
      if (json.contains("columns"))
        for (const Stored& column : list(json.at("columns"))) read.columns.push_back(read_column(column));
      read.check();
      return read;
    } catch (const Stored::exception&) {
      refuse(fmt::format("{} lacks a member or has one of another type", label(architecture_key)));
    } catch (const InvalidOption& problem) {
      refuse(fmt::format("{} cannot be used ({})", label(architecture_key), problem.what()));
    }
  }

  static ColumnBasis read_column(const Stored& json) {
    ColumnBasis read{.kind = column_basis_kind_from(json.at("kind").get<std::string>()),
                     .knots = {},
                     .categories = size(json.at("categories")),
                     .missing = json.at("missing").get<bool>()};
    for (const Stored& knot : list(json.at("knots"))) read.knots.push_back(knot.get<double>());
    if (json.contains("sum")) {
      const Stored::array_t &inputs = list(json.at("sum").at("inputs")),
                            &factors = list(json.at("sum").at("factors"));
      if (inputs.size() != 2 || factors.size() != 2)
        throw InvalidOption("columns", "sum", "a sum has two inputs and two factors");
      read.sum = {.inputs = {size(inputs[0]), size(inputs[1])},
                  .factors = {factors[0].get<double>(), factors[1].get<double>()}};
    }
    return read;
  }

  // The library would take -1 or 2.5 for a size and a number for a list; references it gives out only for the type itself.
  static std::size_t size(const Stored& json) { return json.get_ref<const Stored::number_unsigned_t&>(); }
  static const Stored::array_t& list(const Stored& json) { return json.get_ref<const Stored::array_t&>(); }

  void check_fit(const Architecture& architecture, const Preprocessor& preprocessor,
                 const LossChoice& loss) const {
    const auto check = [&](std::size_t network, std::size_t columns, std::string_view what) {
      if (network != columns)
        refuse(fmt::format("the network has {} {}s and the preprocessing {}; the file is damaged", network,
                           what, columns));
    };
    check(architecture.inputs, preprocessor.features(), "input");
    check(architecture.outputs, loss.make()->outputs(preprocessor.outputs()), "output");
  }

  std::size_t read_members(const Architecture& architecture) const {
    std::size_t members = 1;
    if (schema_ >= schema && file_.metadata.contains(members_key)) {
      const JsonDocument document = parse_json(text(members_key), file_.file, label(members_key));
      const Stored& json = document.root();
      if (!json.is_number_unsigned() || json.get<std::size_t>() == 0)
        refuse(fmt::format("{} is no number of networks", label(members_key)));
      members = json.get<std::size_t>();
    }
    const std::size_t tensors = file_.tensors.size();
    if (members > tensors || tensors != members * architecture.layers())
      refuse(fmt::format("the network has {} layers{} and the file {} tensors; the file is damaged",
                         architecture.layers(), members > 1 ? fmt::format(", {} members", members) : "",
                         tensors));
    return members;
  }

  // After this the sizes of the architecture are those of data that are in the file.
  void check_tensors(std::size_t member, const Architecture& architecture) const {
    for (std::size_t l = 0; l < architecture.layers(); ++l) {
      const Tensor& tensor = weights_of(member, l);
      const std::vector<std::size_t> wanted{architecture.fan_in(l), architecture.width(l)};
      if (tensor.shape != wanted)
        refuse(fmt::format("tensor '{}' has the shape [{}] where the network has [{}]; the file is damaged",
                           tensor.name, fmt::join(tensor.shape, ", "), fmt::join(wanted, ", ")));
      const auto* const values = std::get_if<Vector>(&tensor.values);
      if (values == nullptr)
        refuse(fmt::format("tensor '{}' holds integers where numbers are expected", tensor.name));
      if (!std::ranges::all_of(*values, [](double weight) { return std::isfinite(weight); }))
        refuse(
            fmt::format("tensor '{}' holds a weight that is not finite; the file is damaged, or its "
                        "training failed",
                        tensor.name));
    }
  }

  const Tensor& weights_of(std::size_t member, std::size_t layer) const {
    const std::string name = tensor_name(member, layer);
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) refuse(fmt::format("there is no tensor '{}' in it", name));
    return *found->second;
  }

  Network read_network(std::size_t member, const Architecture& architecture) const {
    Network network(architecture);
    for (std::size_t l = 0; l < network.layers(); ++l)
      std::ranges::copy(std::get<Vector>(weights_of(member, l).values), network.weights({l, l}).begin());
    return network;
  }

  std::string read_training() const {
    if (!parse_json(text(training_key), file_.file, label(training_key)).root().is_object())
      refuse(fmt::format("{} is no JSON object", label(training_key)));
    return text(training_key);
  }

  static std::string label(const char* key) { return fmt::format("the metadata '{}'", key); }

  TensorFile file_;
  int schema_ = schema;
  std::map<std::string_view, const Tensor*, std::less<>> tensors_;  // by name: there may be tens of thousands
};

void check(const Model& model) {
  if (model.networks.empty()) throw Error("a model without a network predicts nothing; give it one");
  const Architecture& architecture = model.architecture();
  for (const Network& member : model.networks)
    if (member.architecture() != architecture)
      throw Error(fmt::format("the members of a model have one architecture; these have {} and {}",
                              architecture.brief(), member.architecture().brief()));
  const std::size_t outputs = model.loss.make()->outputs(model.preprocessor.outputs());
  if (architecture.inputs != model.preprocessor.features() || architecture.outputs != outputs)
    throw Error(
        fmt::format("a network of {} inputs and {} outputs does not fit a preprocessor of {} and {}; "
                    "make it for the columns it was trained on",
                    architecture.inputs, architecture.outputs, model.preprocessor.features(), outputs));
  if (!parse_json(model.training, "model", "the training record").root().is_object())
    throw InvalidOption("training", model.training, "give a JSON object");
}

// The first that says all there is to say, so that earlier versions read what they can use.
int schema_of(const Model& model) {
  if (model.networks.size() > 1 || !model.architecture().columns.empty()) return schema;
  return model.loss.name == "squared" ? oldest_schema : loss_schema;
}

TensorFile tensor_file(const Model& model) {
  check(model);
  const Architecture& architecture = model.architecture();
  TensorFile file;
  file.metadata = {{schema_key, std::to_string(schema_of(model))},
                   {architecture_key, to_json(architecture)},
                   {preprocessing_key, model.preprocessor.to_json()},
                   {training_key, model.training}};
  if (model.networks.size() > 1) file.metadata[members_key] = std::to_string(model.networks.size());
  if (schema_of(model) >= loss_schema) {
    file.metadata[loss_key] = model.loss.to_json();
    file.metadata[temperature_key] = fmt::format("{}", model.temperature);
  }
  if (model.conformal.rows > 0) file.metadata[conformal_key] = model.conformal.to_json();
  for (std::size_t m = 0; m < model.networks.size(); ++m)
    for (std::size_t l = 0; l < architecture.layers(); ++l) {
      const auto weights = model.networks[m].weights({l, l});
      file.tensors.push_back({.name = tensor_name(m, l),
                              .shape = {architecture.fan_in(l), architecture.width(l)},
                              .values = Vector(weights.begin(), weights.end())});
    }
  return file;
}

}  // namespace

// What cannot be read again is not written: it is read before it replaces anything.
std::string model_bytes(const Model& model) {
  std::string bytes = tensor_file_bytes(tensor_file(model));
  parse_model(bytes, "the model to be saved");
  return bytes;
}

void save_model(const std::filesystem::path& path, const Model& model) {
  write_file_atomically(path, model_bytes(model));
}

Model parse_model(std::string_view bytes, const std::string& name) {
  return Reader(parse_tensor_file(bytes, name)).read();
}

Model load_model(const std::filesystem::path& path) { return Reader(read_tensor_file(path)).read(); }

std::string inspect_json(const Model& model) {
  const JsonDocument parsed = parse_json(model.preprocessor.to_json(), "the model", "its preprocessing");
  const Stored& preprocessing = parsed.root();
  JsonText json;
  json.begin_object()
      .member("schema", schema_of(model))
      .member("task", model.preprocessor.classes().empty() ? "regression" : "classification")
      .name("loss")
      .raw(model.loss.to_json())
      .member("temperature", model.temperature)
      .member("members", model.networks.size());
  begin(json.name("architecture"), model.architecture())
      .member("brief", model.architecture().brief())
      .member("weights", model.networks.front().size())
      .end_object();
  for (const char* const part : {"inputs", "targets", "missing", "unseen"})
    json.name(part).raw(preprocessing.at(part).dump());
  return json.name("training").raw(model.training).end_object().text();
}

}  // namespace strata
