#include "trainers/saved_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <set>
#include <string>

#include "strata/core/errors.h"
#include "strata/core/fields.h"

namespace strata {

namespace {

[[noreturn]] void refuse_damaged(std::string_view name) {
  throw Error(fmt::format("the saved state has values for '{}' that cannot be: it is damaged", name));
}

// The fields of a record in a fixed order, for writing and for reading.

template <class Visitor, class Work>
void visit_work(Visitor& visit, Work& work) {
  visit(work.forward), visit(work.backward), visit(work.weight_gradient), visit(work.evaluations);
}

template <class Visitor, class Block>
void visit_block(Visitor& visit, Block& block) {
  visit(block.first), visit(block.last), visit(block.neuron), visit(block.neurons);
}

template <class Visitor, class Record>
void visit_sweep(Visitor& visit, Record& r) {
  visit(r.sweep), visit(r.mean_loss), visit(r.value), visit(r.gradient_norm);
  visit(r.validation_loss), visit(r.step_size), visit(r.batch_size), visit(r.refused), visit(r.undone);
  visit_work(visit, r.work);
  visit(r.seconds), visit(r.elapsed_seconds);
}

template <class Visitor, class Record>
void visit_step(Visitor& visit, Record& r) {
  visit(r.sweep), visit(r.batch), visit_block(visit, r.block), visit(r.before), visit(r.after);
  visit(r.gradient_norm), visit(r.step_length), visit(r.trial), visit(r.trial_length), visit(r.armijo);
  visit(r.margin_armijo), visit(r.margin_forcing), visit(r.step_size), visit(r.fallback), visit(r.skipped);
  visit(r.refused), visit(r.reason), visit(r.message), visit(r.iterations), visit_work(visit, r.work);
  visit(r.seconds);
}

// Records as one row of integers after the other; doubles by their bits, so that one that was not measured stays so.
// The few different texts, reasons by their names among them, stand once, a line each; a record has the number of the line.
class Writer {
 public:
  void operator()(double value) { words_.push_back(std::bit_cast<std::uint64_t>(value)); }
  void operator()(StopReason value) { (*this)(name_of(value)); }
  void operator()(std::string_view text) {
    const auto known = std::find(texts_.begin(), texts_.end(), text);
    words_.push_back(static_cast<std::uint64_t>(known - texts_.begin()));
    if (known == texts_.end()) texts_.push_back(text);
  }
  template <std::integral T>
  void operator()(T value) {
    words_.push_back(static_cast<std::uint64_t>(value));
  }
  void put(State& state, std::string_view name) const {
    state.put(name, words_);
    if (!texts_.empty()) state.put(texts_of(name), fmt::format("{}\n", fmt::join(texts_, "\n")));
  }
  static std::string texts_of(std::string_view name) { return std::string(name) + "_texts"; }

 private:
  State::Integers words_;
  std::vector<std::string_view> texts_;
};

// Messages of records are views of text that lasts as long as the program: those of a checkpoint need such a home too.
std::string_view lasting(std::string_view text) {
  static std::mutex guard;
  static std::set<std::string, std::less<>> texts;
  const std::scoped_lock lock(guard);
  const auto known = texts.find(text);
  return known != texts.end() ? *known : *texts.emplace(text).first;
}

class Reader {
 public:
  Reader(const State& state, std::string_view name) : words_(state.integers(name)), name_(name) {
    const std::string texts = Writer::texts_of(name);
    if (!state.values().contains(texts)) return;
    std::string_view lines = state.text(texts);
    for (std::size_t end = 0; (end = lines.find('\n')) != std::string_view::npos;
         lines.remove_prefix(end + 1))
      texts_.push_back(lasting(lines.substr(0, end)));
  }
  void operator()(double& value) { value = std::bit_cast<double>(next()); }
  void operator()(StopReason& value) {
    std::string_view name;
    (*this)(name);
    if (!read_name(name, value)) refuse_damaged(name_);
  }
  void operator()(std::string_view& text) {
    const std::uint64_t line = next();
    if (line >= texts_.size()) refuse_damaged(name_);
    text = texts_[line];
  }
  template <std::integral T>
  void operator()(T& value) {
    value = static_cast<T>(next());
  }
  [[nodiscard]] bool at_end() const { return position_ == words_.size(); }

 private:
  std::uint64_t next() {
    if (at_end()) refuse_damaged(name_);
    return words_[position_++];
  }

  const State::Integers& words_;
  std::string_view name_;
  std::size_t position_ = 0;
  std::vector<std::string_view> texts_;
};

}  // namespace

void put_blocks(State& state, std::string_view name, const std::vector<Block>& blocks) {
  Writer writer;
  for (const Block& block : blocks) visit_block(writer, block);
  writer.put(state, name);
}

void get_blocks(const State& state, std::string_view name, std::vector<Block>& blocks) {
  blocks.clear();
  for (Reader reader(state, name); !reader.at_end();) {
    Block block;
    visit_block(reader, block);
    if (block.first > block.last) refuse_damaged(name);
    blocks.push_back(block);
  }
}

void put_work(State& state, std::string_view name, const Work& work) {
  Writer writer;
  visit_work(writer, work);
  writer.put(state, name);
}

Work get_work(const State& state, std::string_view name) {
  Work work;
  Reader reader(state, name);
  visit_work(reader, work);
  return work;
}

void put_records(State& state, std::string_view name, const std::vector<SweepRecord>& records) {
  Writer writer;
  for (const SweepRecord& record : records) visit_sweep(writer, record);
  writer.put(state, name);
}

void get_records(const State& state, std::string_view name, std::vector<SweepRecord>& records) {
  records.clear();
  for (Reader reader(state, name); !reader.at_end();) visit_sweep(reader, records.emplace_back());
}

void put_records(State& state, std::string_view name, const std::vector<StepRecord>& records) {
  Writer writer;
  for (const StepRecord& record : records) visit_step(writer, record);
  writer.put(state, name);
}

void get_records(const State& state, std::string_view name, std::vector<StepRecord>& records) {
  records.clear();
  for (Reader reader(state, name); !reader.at_end();) visit_step(reader, records.emplace_back());
}

}  // namespace strata
