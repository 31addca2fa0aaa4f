#include "strata/core/state_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "strata/core/errors.h"

namespace strata {

namespace {

void put_under(TensorFile& file, const std::string& prefix, const State& state) {
  file.metadata[prefix];  // a part without values is there too
  for (const auto& [name, value] : state.values()) {
    const auto add = [&file, full = prefix + name](const auto& values) {
      if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::string>)
        file.metadata[full] = values;
      else
        file.tensors.push_back({full, {values.size()}, values});
    };
    std::visit(add, value);
  }
  for (const StatePart& part : state.parts()) put_under(file, prefix + part.name + '/', part.state);
}

// The part that a name with slashes leads to; what is left of the name is the value's own. Parts know their paths, so
// their depth is limited: each level repeats the names above it.
State& descend(State& state, std::string_view& name, const std::string& file) {
  constexpr std::ptrdiff_t deepest = 16;
  if (std::ranges::count(name, '/') > deepest)
    throw DataError(
        {file}, fmt::format("its parts are nested more than {} levels deep; the file is damaged", deepest));
  State* part = &state;
  for (std::size_t slash = 0; (slash = name.find('/')) != std::string_view::npos;
       name.remove_prefix(slash + 1))
    part = &part->part(name.substr(0, slash));
  return *part;
}

}  // namespace

void put_state(TensorFile& file, std::string_view name, const State& state) {
  put_under(file, std::string(name) + '/', state);
}

State get_state(const TensorFile& file, std::string_view name) {
  const std::string prefix = std::string(name) + '/';
  if (!file.metadata.contains(prefix))
    throw DataError({file.file}, fmt::format("there is no '{}' in it", name));
  State state;
  state.set_origin(file.file);
  for (const auto& [key, text] : file.metadata) {
    if (!key.starts_with(prefix)) continue;
    std::string_view rest = std::string_view(key).substr(prefix.size());
    State& part = descend(state, rest, file.file);
    if (!rest.empty()) part.put(rest, text);
  }
  for (const Tensor& tensor : file.tensors) {
    if (!tensor.name.starts_with(prefix)) continue;
    std::string_view rest = std::string_view(tensor.name).substr(prefix.size());
    State& part = descend(state, rest, file.file);
    std::visit([&part, rest](const auto& values) { part.set(rest, values); }, tensor.values);
  }
  return state;
}

}  // namespace strata
