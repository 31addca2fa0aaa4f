#include "strata/core/state.h"

#include <fmt/format.h>

#include "strata/core/errors.h"

namespace strata {

namespace {

void require_count(const std::string& path, std::size_t stored, std::size_t wanted) {
  if (stored != wanted)
    throw Error(
        fmt::format("the saved state has {} values for '{}' where {} are needed: it is damaged or belongs to "
                    "something else",
                    stored, path, wanted));
}

}  // namespace

std::string State::path(std::string_view name) const { return name_ + std::string(name); }

void State::set(std::string_view name, Value value) {
  values_.insert_or_assign(std::string(name), std::move(value));
}

template <class T>
const T& State::find(std::string_view name, std::string_view kind) const {
  const auto found = values_.find(name);
  const T* value = found == values_.end() ? nullptr : std::get_if<T>(&found->second);
  if (!value)
    throw Error(
        fmt::format("the saved state has no {} named '{}': it is damaged or belongs to something else", kind,
                    path(name)));
  return *value;
}

const Vector& State::numbers(std::string_view name) const { return find<Vector>(name, "numbers"); }
const State::Integers& State::integers(std::string_view name) const {
  return find<Integers>(name, "integers");
}
const std::string& State::text(std::string_view name) const { return find<std::string>(name, "text"); }

const State::Integers& State::integers(std::string_view name, std::size_t count) const {
  const Integers& stored = integers(name);
  require_count(path(name), stored.size(), count);
  return stored;
}

void State::put(std::string_view name, std::span<const double> values) {
  set(name, Vector(values.begin(), values.end()));
}

void State::get(std::string_view name, std::span<double> values) const {
  const Vector& stored = numbers(name);
  require_count(path(name), stored.size(), values.size());
  std::copy(stored.begin(), stored.end(), values.begin());
}

void State::put(std::string_view name, const RandomStream& stream) {
  set(name, Integers(stream.state().begin(), stream.state().end()));
}

void State::get(std::string_view name, RandomStream& stream) const {
  RandomStream::State words{};
  const Integers& stored = integers(name, words.size());
  std::copy(stored.begin(), stored.end(), words.begin());
  stream.restore(words);
}

State& State::part(std::string_view name) {
  if (const auto known = places_.find(name); known != places_.end()) return parts_[known->second].state;
  places_.emplace(name, parts_.size());
  parts_.push_back({std::string(name), {}});
  parts_.back().state.name_ = path(name) + "/";
  return parts_.back().state;
}

const State& State::part(std::string_view name) const {
  if (const auto known = places_.find(name); known != places_.end()) return parts_[known->second].state;
  throw Error(fmt::format(
      "the saved state has no part named '{}': it is damaged or belongs to something else", path(name)));
}

}  // namespace strata
