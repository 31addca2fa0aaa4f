#include "trainers/saved_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <set>
#include <string>

#include "strata/core/errors.h"

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

template <class Visitor, class Record>
void visit_sweep(Visitor& visit, Record& r) {
  visit(r.sweep), visit(r.mean_loss), visit(r.value), visit(r.gradient_norm);
  visit(r.validation_loss), visit(r.step_size), visit(r.batch_size), visit(r.refused), visit(r.undone);
  visit_work(visit, r.work);
  visit(r.seconds), visit(r.elapsed_seconds);
}

template <class Visitor, class Record>
void visit_step(Visitor& visit, Record& r) {
  visit(r.sweep), visit(r.batch), visit(r.block.first), visit(r.block.last), visit(r.before), visit(r.after);
  visit(r.gradient_norm), visit(r.step_length), visit(r.trial), visit(r.trial_length), visit(r.armijo);
  visit(r.margin_armijo), visit(r.margin_forcing), visit(r.step_size), visit(r.fallback), visit(r.skipped);
  visit(r.refused), visit(r.reason), visit(r.iterations), visit_work(visit, r.work), visit(r.seconds);
}

// Records as one row of integers after the other; doubles by their bits, so that one that was not measured stays so.
class Writer {
 public:
  void operator()(double value) { words_.push_back(std::bit_cast<std::uint64_t>(value)); }
  void operator()(StopReason value) { words_.push_back(static_cast<std::uint64_t>(value)); }
  template <std::integral T>
  void operator()(T value) {
    words_.push_back(static_cast<std::uint64_t>(value));
  }
  [[nodiscard]] const State::Integers& words() const { return words_; }

 private:
  State::Integers words_;
};

class Reader {
 public:
  Reader(const State& state, std::string_view name) : words_(state.integers(name)), name_(name) {}
  void operator()(double& value) { value = std::bit_cast<double>(next()); }
  void operator()(StopReason& value) {
    const std::uint64_t word = next();
    if (word > static_cast<std::uint64_t>(StopReason::non_finite)) refuse_damaged(name_);
    value = static_cast<StopReason>(word);
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
};

// Messages of records are views of text that lasts as long as the program: those of a checkpoint need such a home too.
std::string_view lasting(std::string_view text) {
  static std::mutex guard;
  static std::set<std::string, std::less<>> texts;
  const std::scoped_lock lock(guard);
  const auto known = texts.find(text);
  return known != texts.end() ? *known : *texts.emplace(text).first;
}

}  // namespace

void put_options(State& state, std::string_view update, const OptionList& options) {
  State& part = state.part("options");
  part.put("update", update);
  for (const auto& [name, value] : options) part.put(name, value);
}

void require_options(const State& state, std::string_view update, const OptionList& options) {
  const State& part = state.part("options");
  if (part.text("update") != update)
    throw InvalidOption(
        "updates", update,
        fmt::format("the run to resume was started with {}; use the same", part.text("update")));
  for (const auto& [name, value] : options) {
    double saved = 0;
    part.get(name, saved);
    if (saved != value)
      throw InvalidOption(fmt::format("{}.{}", update, name), fmt::format("{}", value),
                          fmt::format("the run to resume was started with {}; use the same", saved));
  }
}

void put_blocks(State& state, std::string_view name, const std::vector<Block>& blocks) {
  Writer writer;
  for (const Block& block : blocks) writer(block.first), writer(block.last);
  state.put(name, writer.words());
}

void get_blocks(const State& state, std::string_view name, std::vector<Block>& blocks) {
  blocks.clear();
  for (Reader reader(state, name); !reader.at_end();) {
    Block block;
    reader(block.first), reader(block.last);
    if (block.first > block.last) refuse_damaged(name);
    blocks.push_back(block);
  }
}

void put_work(State& state, std::string_view name, const Work& work) {
  Writer writer;
  visit_work(writer, work);
  state.put(name, writer.words());
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
  state.put(name, writer.words());
}

void get_records(const State& state, std::string_view name, std::vector<SweepRecord>& records) {
  records.clear();
  for (Reader reader(state, name); !reader.at_end();) visit_sweep(reader, records.emplace_back());
}

// The few different messages stand once, a line each; a record has the number of its line.
void put_records(State& state, std::string_view name, const std::vector<StepRecord>& records) {
  Writer writer;
  std::vector<std::string_view> messages;
  std::string lines;
  for (const StepRecord& record : records) {
    visit_step(writer, record);
    const auto known = std::find(messages.begin(), messages.end(), record.message);
    writer(static_cast<std::uint64_t>(known - messages.begin()));
    if (known != messages.end()) continue;
    messages.push_back(record.message);
    lines += std::string(record.message) + '\n';
  }
  state.put(name, writer.words());
  state.put(std::string(name) + "_messages", lines);
}

void get_records(const State& state, std::string_view name, std::vector<StepRecord>& records) {
  std::vector<std::string_view> messages;
  std::string_view lines = state.text(std::string(name) + "_messages");
  for (std::size_t end = 0; (end = lines.find('\n')) != std::string_view::npos; lines.remove_prefix(end + 1))
    messages.push_back(lasting(lines.substr(0, end)));
  records.clear();
  for (Reader reader(state, name); !reader.at_end();) {
    visit_step(reader, records.emplace_back());
    std::size_t message = 0;
    reader(message);
    if (message >= messages.size()) refuse_damaged(name);
    records.back().message = messages[message];
  }
}

}  // namespace strata
