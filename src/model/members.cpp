#include "model/members.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "strata/core/errors.h"
#include "strata/parallel/thread_pool.h"

namespace strata {

namespace {

// All rows but those of a fold, in their order.
std::vector<std::size_t> others(std::size_t rows, const std::vector<std::size_t>& fold) {
  std::vector<bool> held(rows);
  for (const std::size_t row : fold) held[row] = true;
  std::vector<std::size_t> left;
  for (std::size_t row = 0; row < rows; ++row)
    if (!held[row]) left.push_back(row);
  return left;
}

constexpr auto members_name = "members";

// The states of all members as one, for checkpoints. A member that has ended keeps its last state: continued, it ends again.
class MemberStates {
 public:
  MemberStates(std::size_t count, const State* saved) : states_(count) {
    if (saved == nullptr) return;
    for (const StatePart& part : saved->parts())
      for (std::size_t m = 0; m < count; ++m)
        if (part.name == std::to_string(m)) {
          states_[m] = part.state;
          states_[m]->set_origin(saved->origin());
        }
  }

  void set(std::size_t member, const State& state) { states_[member] = state; }
  [[nodiscard]] std::optional<State> of(std::size_t member) const { return states_[member]; }
  [[nodiscard]] State all() const {
    State state;
    state.put(members_name, states_.size());
    for (std::size_t m = 0; m < states_.size(); ++m)
      if (states_[m]) state.part(std::to_string(m)) = *states_[m];
    return state;
  }

 private:
  std::vector<std::optional<State>> states_;
};

class Training {
 public:
  Training(std::size_t count, const MemberRows& rows, const FitHooks& hooks, const TrainMember& train)
      : rows_(rows),
        hooks_(hooks),
        train_(train),
        states_(count, hooks.checkpoints.resume),
        left_(count),
        results_(count) {}

  std::vector<std::optional<TrainingResult>> run() {
    if (hooks_.interrupt && hooks_.interrupt()) stop_ = true;
    const std::size_t workers = members_at_once(left_, *hooks_.engine);
    std::unique_ptr<ThreadPool> pool;
    if (workers > 1) pool = std::make_unique<ThreadPool>(workers + 1);  // the caller only looks after them
    if (pool && pool->threads() > 1) {
      side_by_side(*pool, workers);
    } else {
      asks_itself_ = true;
      take_members(*hooks_.engine);
    }
    return std::move(results_);
  }

 private:
  void side_by_side(ThreadPool& pool, std::size_t workers) {
    std::vector<std::unique_ptr<Engine>> engines;
    const EngineOptions each{.threads = hooks_.engine->threads().threads() / workers,
                             .memory = std::max<std::size_t>(1, hooks_.engine->memory().left() / workers)};
    for (std::size_t worker = 1; worker < pool.threads(); ++worker)
      engines.push_back(std::make_unique<Engine>(each));
    pool.run(pool.threads(), [&](std::size_t /*task*/, std::size_t worker) {
      worker == 0 ? look_after() : take_members(*engines[worker - 1]);
    });
  }

  // Signals reach the caller's thread alone, in Python at least.
  void look_after() {
    std::unique_lock lock(mutex_);
    while (left_ > 0 && !failed_) {
      changed_.wait_for(lock, std::chrono::milliseconds(20));
      lock.unlock();
      if (hooks_.interrupt && hooks_.interrupt()) stop_ = true;
      lock.lock();
    }
  }

  void take_members(Engine& engine) {
    for (std::size_t member = next_++; member < results_.size(); member = next_++) {
      try {
        if (!stop_ || member == 0) results_[member] = run_member(member, engine);
      } catch (...) {
        stop_ = true;
        failed_ = true;
        throw;
      }
      end_member();
    }
  }

  void end_member() {
    const std::scoped_lock lock(mutex_);
    --left_;
    changed_.notify_all();
  }

  TrainingResult run_member(std::size_t member, Engine& engine) {
    std::optional<State> state;
    {
      const std::scoped_lock lock(mutex_);
      state = states_.of(member);
    }
    FitHooks hooks = hooks_of(member, engine);
    hooks.checkpoints.resume = state ? &*state : nullptr;
    const std::size_t count = rows_.all.rows();
    if (rows_.folds.empty()) {
      const PackedRows training(rows_.all, others(count, {}), engine);
      if (rows_.validation == nullptr) return train_(member, {training}, hooks);
      const PackedRows validation(*rows_.validation, others(rows_.validation->rows(), {}), engine);
      return train_(member, {training, &validation}, hooks);
    }
    const std::vector<std::size_t>& fold = rows_.folds[member / rows_.members_of_a_fold];
    const PackedRows training(rows_.all, others(count, fold), engine);
    const PackedRows validation(rows_.all, fold, engine);
    return train_(member, {training, &validation}, hooks);
  }

  FitHooks hooks_of(std::size_t member, Engine& engine) {
    FitHooks hooks{.clock = hooks_.clock, .engine = &engine};
    hooks.interrupt = [this] {
      if (!stop_ && asks_itself_ && hooks_.interrupt && hooks_.interrupt()) stop_ = true;
      return stop_.load();
    };
    const auto observe = [this, member](const auto& observer) {
      return [this, member, &observer](auto record) {
        record.member = member;
        const std::scoped_lock lock(calls_);
        observer(record);
      };
    };
    if (hooks_.observers.step) hooks.observers.step = observe(hooks_.observers.step);
    if (hooks_.observers.sweep) hooks.observers.sweep = observe(hooks_.observers.sweep);
    if (hooks_.after_sweep)
      hooks.after_sweep = [this, member](SweepRecord record) {
        record.member = member;
        const std::scoped_lock lock(calls_);
        if (hooks_.after_sweep(record)) stop_ = true;
        return stop_.load();
      };
    hooks.checkpoints.every_seconds = hooks_.checkpoints.every_seconds;
    if (hooks_.checkpoints.save)
      hooks.checkpoints.save = [this, member](const State& state) {
        const std::scoped_lock lock(mutex_, calls_);
        states_.set(member, state);
        hooks_.checkpoints.save(states_.all());
      };
    return hooks;
  }

  const MemberRows& rows_;
  const FitHooks& hooks_;
  const TrainMember& train_;
  std::mutex calls_;  // held while a hook is called
  std::mutex mutex_;  // of states_ and left_
  std::condition_variable changed_;
  MemberStates states_;
  std::atomic<std::size_t> next_{0};  // member to train
  std::atomic<bool> stop_{false};
  std::atomic<bool> failed_{false};
  bool asks_itself_ = false;  // members run in the caller's thread
  std::size_t left_;          // members that have not ended
  std::vector<std::optional<TrainingResult>> results_;
};

}  // namespace

void check_members_of(const State* saved, std::size_t count) {
  if (saved == nullptr) return;
  std::size_t members = 1;
  if (saved->values().contains(members_name)) saved->get(members_name, members);
  if (members != count)
    throw InvalidOption(
        "members", fmt::format("{}", count),
        fmt::format("the run to resume was started with {}; use the same, or start a new run", members));
}

Folds make_folds(const Dataset& train, bool classes, std::size_t count, double fraction,
                 RandomStream stream) {
  const std::size_t parts =
      std::min(train.rows, std::max(count, static_cast<std::size_t>(std::lround(1 / fraction))));
  std::vector<std::size_t> order = stream.permutation(train.rows);
  if (classes) {
    std::map<double, std::size_t> counts;
    for (std::size_t row = 0; row < train.rows; ++row) ++counts[train.y()(row, 0)];
    std::erase_if(order, [&](std::size_t row) { return counts[train.y()(row, 0)] == 1; });
    std::ranges::stable_sort(order, {}, [&](std::size_t row) { return train.y()(row, 0); });
  }
  Folds folds(count);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i % parts < count) folds[i % parts].push_back(order[i]);
  if (train.rows <= count || folds.back().empty())
    throw InvalidOption("members", fmt::format("{}", count),
                        fmt::format("each needs validation rows of its own, and there are {} rows; use fewer "
                                    "members, a validation file, or no validation rows",
                                    train.rows));
  for (auto& fold : folds) std::ranges::sort(fold);
  return folds;
}

std::size_t members_at_once(std::size_t members, Engine& engine) {
  return std::max<std::size_t>(1, std::min(members, engine.threads().threads()));
}

std::vector<std::optional<TrainingResult>> train_members(std::size_t count, const MemberRows& rows,
                                                         const FitHooks& hooks, const TrainMember& train) {
  return Training(count, rows, hooks, train).run();
}

namespace {

// Of the reasons of several members the one that the user should know of: an interruption, then limits.
int weight_of(StopReason reason) {
  if (reason == StopReason::user_request) return 3;
  if (reason == StopReason::time_limit) return 2;
  return reason == StopReason::max_evaluations || reason == StopReason::max_sweeps ? 1 : 0;
}

}  // namespace

TrainingResult summed_up(std::vector<TrainingResult> members, std::size_t at_once) {
  TrainingResult sum = std::move(members.front());
  if (members.size() == 1) return sum;
  for (std::size_t m = 1; m < members.size(); ++m) {
    TrainingResult& member = members[m];
    if (weight_of(member.reason) > weight_of(sum.reason)) sum.reason = member.reason;
    sum.value += member.value;
    sum.gradient_norm += member.gradient_norm;
    sum.validation_loss += member.validation_loss;
    sum.best_sweep += member.best_sweep;
    sum.sweeps += member.sweeps;
    sum.refused += member.refused;
    sum.work += member.work;
    sum.seconds += member.seconds;
    sum.elapsed_seconds += member.elapsed_seconds;
    for (std::size_t l = 0; l < sum.updates_per_layer.size(); ++l)
      sum.updates_per_layer[l] += member.updates_per_layer[l];
    for (SweepRecord& record : member.history) {
      record.member = m;
      sum.history.push_back(record);
    }
  }
  const auto count = static_cast<double>(members.size());
  sum.value /= count;
  sum.gradient_norm /= count;
  sum.validation_loss /= count;
  sum.seconds /= static_cast<double>(at_once);
  sum.elapsed_seconds /= static_cast<double>(at_once);
  sum.notes.clear();
  sum.write_message();
  return sum;
}

}  // namespace strata
