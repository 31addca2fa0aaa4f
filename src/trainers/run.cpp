#include "trainers/run.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "strata/core/errors.h"

namespace strata {

namespace {

// Conditions (1) and (2) are about the objective; on a minibatch it is enough that its own mean does not increase.
const Acceptance on_minibatches = any_decrease();

ObjectiveOptions mean_loss_only(ObjectiveOptions options) {
  options.l2 = 0;
  return options;
}

std::unique_ptr<Update> made_from(const UpdateRecipe& recipe, const UpdateSetup& setup) {
  return std::visit(
      [&setup]<class Kind>(const Kind& kind) -> std::unique_ptr<Update> {
        if constexpr (requires { kind.make(setup); }) {
          if (setup.block.is_part() && !updates_parts<Kind>)
            throw InvalidOption("updates.hidden", kind.kind,
                                "groups of neurons are updated by lbfgs or armijo_gradient_steps");
          return kind.make(setup);
        }
        return nullptr;  // no update: refused before the run began
      },
      recipe);
}

}  // namespace

Run::Run(Network& network, const TrainingRows& rows, const Scheme& scheme, const TrainOptions& options)
    : network_(network),
      rows_(rows),
      scheme_(scheme),
      options_(options),
      shared_clock_(options.clock, scheme.stopping.interrupt, options.engine->processes()),
      time_(shared_clock_, options.charge_all),
      traffic_before_(options.engine->processes().traffic()),
      random_(RandomStream(options.seed).split(1)),
      batches_(rows.training, scheme.batches, RandomStream(options.seed).split(2)),
      batch_objective_(std::make_unique<Objective>(network, rows.training, on_batches())),
      batch_rows_(std::make_unique<PackedRows>(*options.engine)),
      rows_ahead_(std::make_unique<PackedRows>(*options.engine)),
      selection_(make_selection(scheme.selection)),
      interrupt_([this] { return interrupted_inside_a_visit(); }),
      gradient_norms_(network.layers()),
      statistics_(network.layers()),
      best_(std::as_const(network).weights()),
      checkpointer_{.options = options.checkpoints},
      rules_(stopping_rules()),
      step_size_(scheme.step_size.first),
      tolerance_(scheme.tolerance.first) {
  if (!batches_.whole() || scheme.batches.all_rows_first)
    full_objective_ = std::make_unique<Objective>(network, rows.training, options.objective);
  if (rows.validation)
    held_out_ = std::make_unique<Objective>(network, *rows.validation, mean_loss_only(options.objective));
  if (scheme.look_ahead.wanted() && !batches_.whole())
    ahead_ = std::make_unique<Objective>(network, rows.training, on_batches());
  epochs_were_long_ = full_objective_ && batches_.epochs_are_long();
  time_.restart(0, 0);
  prepare_checkpoints(rows);
}

// How batches are evaluated: in the scheme's precision.
ObjectiveOptions Run::on_batches() const {
  ObjectiveOptions options = options_.objective;
  options.precision = batches_.whole() ? scheme_.batches.all_rows : scheme_.batches.precision;
  return options;
}

void Run::begin_sweep() {
  batches_done_ = 0;
  rows_since_look_ = 0;
  batch_ahead_.reset();
  statistics_.begin_sweep();
  restored_ = false;
  gradient_norm_ = not_measured;
  const auto weights = std::as_const(network_).weights();
  sweep_start_.assign(weights.begin(), weights.end());
  full_objective().refresh();
  for (auto& [block, update] : updates_) update->begin_sweep(full_objective(), sweep_);
  place_ = Place::all_rows;
}

void Run::visit_batch(std::size_t batch, std::size_t next) {
  if (!blocks_are_chosen_) begin_batch(batch, next);  // otherwise a checkpoint was taken inside it
  visit_blocks(*batch_objective_, batch, !full_objective_);
  if (looks_ahead_ && !pending_) undo_if_others_suffer();
}

void Run::begin_batch(std::size_t batch, std::size_t next) {
  if (full_objective_ && batches_.whole() && !scheme_.batches.all_rows_first) become_whole();
  if (full_objective_) choose_rows(batch);
  statistics_.first_of_batch = true;
  looks_ahead_ = ahead_ && next != batch;
  if (!looks_ahead_) return;
  look_at(next);
  before_ahead_ = value_ahead();
  batch_start_.assign(network_.weights().begin(), network_.weights().end());
}

void Run::look_at(std::size_t batch) {
  const PackedBatch next = batches_.load(batch, *rows_ahead_);
  ahead_->select(next.rows, next.batch);
  batch_ahead_ = batch;
}

// The batch that was looked ahead at has its activations already.
void Run::choose_rows(std::size_t batch) {
  if (std::exchange(batch_ahead_, std::nullopt) == batch) {
    std::swap(batch_objective_, ahead_);
    std::swap(batch_rows_, rows_ahead_);
    return;
  }
  batch_objective_->refresh();
  const PackedBatch chosen = batches_.load(batch, *batch_rows_);
  batch_objective_->select(chosen.rows, chosen.batch);
}

// Through the output layer, so that the activations below it are kept for the visit to come.
double Run::value_ahead() {
  ahead_->refresh();
  const Block output = network_.output_layer();
  return ahead_->open(output).value(std::as_const(network_).weights(output));
}

void Run::undo_if_others_suffer() {
  const double most = (1 + scheme_.look_ahead.most_increase) * before_ahead_;
  if (value_ahead() <= most || !std::isfinite(before_ahead_)) return;
  put(batch_start_);
  ahead_->refresh();
  ++statistics_.undone;
  for (auto& [block, update] : updates_) update->steps_undone();
}

void Run::visit_blocks(Objective& objective, std::size_t batch, bool whole_data) {
  const SelectionView view{network_.layers(),
                           batches_done_,
                           whole_data,
                           objective.selected_rows(),
                           network_.size(),
                           batches_.epochs_are_long(),
                           [this, &objective]() -> const Vector& { return layer_gradient_norms(objective); },
                           network_.architecture().hidden};
  if (!blocks_are_chosen_) {
    selection_->choose(view, random_, blocks_);
    next_block_ = 0;
    blocks_are_chosen_ = true;
  }
  for (; next_block_ < blocks_.size() && !pending_; ++next_block_)
    visit(objective, blocks_[next_block_], batch);
  if (!pending_) blocks_are_chosen_ = false;
}

void Run::visit(Objective& objective, Block block, std::size_t batch) {
  Update& update = update_for(block);
  reach_border();
  StepRecord record;
  record.sweep = sweep_;
  record.batch = batch;
  record.block = block;
  StepContext step{.objective = objective,
                   .network = network_,
                   .block = block,
                   .batch = batch,
                   .rows_in_all = full_objective().selected_rows(),
                   .tolerance = tolerance_of(block),
                   .skip_within_tolerance = scheme_.tolerance.skip && scheme_.tolerance.first > 0,
                   .step_size = step_size_,
                   .step_cut = step_cut_,
                   .progress = progress(),
                   .acceptance = is_on_all_rows(objective) ? scheme_.acceptance : on_minibatches,
                   .interrupt = interrupt_,
                   .record = record};
  update.apply(step);
  shared_clock_.synchronise();
  record.seconds = time_.charged();
  step_back_if_not_finite(record, objective);
  take_note_of(record);
}

// A solve over all weights ends at the run's own tolerance, unless sweeps have one. Where the run tests the gradient after
// the solve, it goes on inside: to 1e-5, which is scipy's, where the paper's rule is 1e-3.
double Run::tolerance_of(Block block) const {
  if (tolerance_ > 0 || !is_whole(block)) return tolerance_;
  const Stopping& stopping = scheme_.stopping;
  return stopping.gradient_every_visit ? stopping.gradient_norm / 100 : stopping.gradient_norm;
}

// At weights where the function itself is not finite a shorter step does not help. The run goes back to where the last
// sweep began whose first batch was finite, and goes on from there with the step size cut.
void Run::step_back_if_not_finite(const StepRecord& step, Objective& objective) {
  const bool lost = step.refused && step.reason == StopReason::non_finite &&
                    !(std::isfinite(step.before) && std::isfinite(step.gradient_norm));
  if (statistics_.visits == 0 && !lost) std::swap(last_finite_, sweep_start_);
  if (!lost || last_finite_.empty()) return;
  put(last_finite_);
  objective.refresh();
  restored_ = true;
}

void Run::take_note_of(const StepRecord& step) {
  statistics_.add(step, scheme_.stopping.relative_decrease);
  selection_->visited(step);
  if (!full_objective_) value_ = step.after;
  if (SweepStatistics::not_finite(step)) step_cut_ /= 2;
  if (scheme_.reporting.steps) result_.steps.push_back(step);
  if (scheme_.observers.step) scheme_.observers.step(step);
  if (const auto reason = end_of_whole_solve(step)) pending_ = reason;
  if (scheme_.stopping.gradient_every_visit && !pending_ && !full_objective_ && gradient_norm_is_small())
    pending_ = StopReason::gradient_tolerance;
  interrupted();
}

void Run::advance_step_size() {
  ++iterations_;
  const StepSize& rule = scheme_.step_size;
  if (rule.rule == StepSize::Rule::diminishing) step_size_ *= 1 - rule.epsilon * step_size_;
  if (rule.rule == StepSize::Rule::harmonic) step_size_ = rule.first / static_cast<double>(iterations_ + 1);
}

std::optional<StopReason> Run::end_sweep() {
  using enum StoppingRule::When;
  if (place_ == Place::end)  // a checkpoint was taken here
    return pending_ ? pending_ : first_met(rules_, after_report);
  reach_border();
  const auto reason = pending_ ? pending_ : first_met(rules_, after_sweep);
  if (reason) keep_checkpoint();
  SweepRecord record = snapshot();
  const std::size_t every = scheme_.reporting.every_sweeps;
  if (!full_objective_) record.value = value_;
  const bool is_last =
      reason == StopReason::time_limit && epochs_were_long_ && held_out_;  // there is no time
  if (!value_is_told() && !is_last && (reason || (every > 0 && (sweep_ + 1) % every == 0))) report(record);
  ++looks_;
  if (is_last || std::isfinite(record.value)) validate(record, sweep_ + 1);
  keep_best(record, sweep_ + 1);
  tolerance_ *= scheme_.tolerance.factor;
  if (batches_.judged_after() == 0) grow_batches();
  result_.history.push_back(record);
  if (scheme_.observers.sweep) scheme_.observers.sweep(record);
  place_ = Place::end;
  if (reason) return reason;
  const auto asked = first_met(rules_, after_report);
  if (asked) reach_border(), keep_checkpoint();
  return asked;
}

// Where an epoch has many batches they grow without waiting for its end, which may come too late; its last rows belong to the
// first stretch of the next one.
void Run::end_stretch_if_due() {
  statistics_.stretch.rows += batch_objective_->selected_rows();
  const std::size_t due = batches_.judged_after();
  if (due == 0 || statistics_.stretch.rows < due) return;
  grow_batches();
  if (!batches_.cut_rest(batches_done_)) return;
  batches_done_ = 0;
  batch_ahead_.reset();
}

// Twice the rows cost twice the time for a step, and bring the less the more rows there are already.
void Run::grow_batches() {
  const auto stretch = std::exchange(statistics_.stretch, {});
  if (scheme_.batches.grow_below <= 0 || !full_objective_) return;
  const double mean_loss =
      stretch.losses > 0 ? stretch.loss_sum / static_cast<double>(stretch.losses) : not_measured;
  const double wanted = scheme_.batches.grow_below * static_cast<double>(scheme_.batches.size) /
                        static_cast<double>(batches_.size());
  if (mean_loss > (1 - wanted) * previous_mean_loss_) batches_.grow(2 * batches_.size());
  previous_mean_loss_ = mean_loss;
}

// Batches have grown to all rows: from here on this is the batch scheme.
void Run::become_whole() {
  retired_work_ += full_objective_->work();
  full_objective_.reset();
  if (ahead_) retired_work_ += ahead_->work();
  ahead_.reset();
  rows_ahead_.reset();
  retired_work_ += batch_objective_->work();
  batch_objective_.reset();  // and its memory, before that of all rows is taken
  const PackedBatch all = batches_.load(0, *batch_rows_);
  batch_objective_ = std::make_unique<Objective>(network_, all.rows, on_batches());
}

double Run::progress() const {
  const Stopping& rules = scheme_.stopping;
  double fraction = 0;
  if (rules.seconds > 0) fraction = time_.charged() / rules.seconds;
  if (rules.max_sweeps > 0)
    fraction = std::max(fraction, (static_cast<double>(sweep_) + batches_.fraction_done(batches_done_)) /
                                      static_cast<double>(rules.max_sweeps));
  return fraction;
}

// --- Parts

Update& Run::update_for(Block block) {
  for (auto& [known, update] : updates_)
    if (known == block) return *update;
  Update& update = make_update(block);
  update.begin_sweep(full_objective(), sweep_);
  return update;
}

Update& Run::make_update(Block block) {
  if (!network_.architecture().has(block))
    throw InvalidOption("selection", text_of({}, block),
                        "choose layers that the network has, or neurons of one of its hidden layers");
  const UpdateRecipe& output = scheme_.updates.output;
  const bool own = block == network_.output_layer() && !std::holds_alternative<std::monostate>(output);
  const bool fixed_partition =
      scheme_.batches.partition == Partition::fixed && scheme_.batches.grow_below == 0;
  updates_.emplace_back(block, made_from(own ? output : scheme_.updates.hidden,
                                         {network_, block, batches_.count(), fixed_partition}));
  return *updates_.back().second;
}

const Vector& Run::layer_gradient_norms(Objective& objective) {
  gradient_.resize(network_.size());
  objective.value_and_gradient(gradient_);
  for (std::size_t l = 0; l < network_.layers(); ++l)
    gradient_norms_[l] = norm(std::span(gradient_).subspan(network_.offset({l, l}), network_.size({l, l})));
  return gradient_norms_;
}

}  // namespace strata
