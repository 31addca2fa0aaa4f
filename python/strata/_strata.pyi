"""The C++ library underneath the package."""

from collections.abc import Callable, Mapping, Sequence
import enum
import os
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


def thread_limit() -> int:
    """The limit set from outside; 0: none."""

class Table:
    """Typed columns: numbers, or categories."""

    def __init__(self, name: str = 'table') -> None: ...

    def add_numbers(self, name: str, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """NaN: missing."""

    def add_categories(self, name: str, categories: Sequence[str], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Codes count from 0 into the categories; -1: missing."""

    def set_weights(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def names(self) -> list[str]: ...

    def __len__(self) -> int: ...

    def column(self, name: str) -> object:
        """Numbers as an array, or (categories, codes)."""

def read_table(path: str | os.PathLike, numeric: Sequence[str] = [], categorical: Sequence[str] = [], *, separator: str | None = None, decimal: str | None = None, thousands: str | None = None, quote: str | None = None, header: bool | None = None, names: Sequence[str] = [], na: Sequence[str] | None = None, encoding: str | None = None) -> Table:
    """
    A CSV, ARFF or KEEL file, also gzipped.

    separator, decimal, thousands, quote: one sign each; quote '' means none. header: True or False. names: of the columns, instead of those in the file. na: texts that stand for a missing value, beside an empty cell. encoding: 'utf-8', 'utf-16' or 'latin-1'. What is not given is detected, or the default; what was detected and may surprise is a warning.
    """

def friedman1(rows: int = 1000, inputs: int = 10, noise: float = 1.0, seed: int = 0) -> Table: ...

def folded_staircase(rows: int = 1000, inputs: int = 4, folds: int = 4, noise: float = 0.0, seed: int = 0) -> Table: ...

def housing(rows: int = 1000, noise: float = 0.05, seed: int = 0) -> Table: ...

def spirals(rows: int = 1000, classes: int = 2, noise: float = 0.02, seed: int = 0) -> Table: ...

def activations() -> list[str]: ...

class Network:
    """A feed-forward network: an architecture and its weights."""

    def __init__(self, inputs: int, hidden: Sequence[int], outputs: int = 1, activation: str | Sequence[str] = 'sigmoid', bias: str = 'per_layer', radial_width: float = 1.0) -> None:
        """
        Weights are zero until initialised. One activation for all hidden layers, or a list; the first may be radial.
        """

    def initialise(self, kind: str = 'glorot', scale: float = 0.5, seed: int = 1) -> None:
        """uniform and normal use the scale; glorot and he do not."""

    @property
    def weights(self) -> list[Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
        """
        A copy: an array (fan_in, fan_out) for each layer, a bias as its last row.
        """

    @weights.setter
    def weights(self, arg: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], /) -> None: ...

    @property
    def inputs(self) -> int: ...

    @property
    def hidden(self) -> list[int]: ...

    @property
    def outputs(self) -> int: ...

    @property
    def bias(self) -> str: ...

    @property
    def layers(self) -> int: ...

    @property
    def size(self) -> int:
        """Number of weights."""

    def predict(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Outputs (rows, outputs), in the units the network was trained in."""

    def __repr__(self) -> str: ...

class GaussNewton:
    """The Gauss-Newton model of the mean loss in the weights of one layer."""

    @property
    def value(self) -> float:
        """f, regulariser included."""

    @property
    def gradient(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Of f in the layer, regulariser included."""

    def times(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """(2/rows) J'J v: the regulariser is left out."""

class RowsObjective:
    """The objective on some rows."""

    def __init__(self, network: Network, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], l2: float, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, precision: str, threads: int) -> None: ...

    @property
    def network(self) -> Network: ...

    def value(self, weights: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]]) -> float: ...

    def value_and_gradient(self, weights: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], block: object | None = None) -> tuple: ...

    def gauss_newton(self, weights: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], layer: int) -> GaussNewton: ...

class SolveResult:
    """What a solve did and why it ended."""

    @property
    def x(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def value(self) -> float: ...

    @property
    def gradient(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def reason(self) -> str: ...

    @property
    def iterations(self) -> int: ...

    @property
    def evaluations(self) -> int:
        """Calls of the function after the one at the start."""

    def __repr__(self) -> str: ...

def minimise(function: Callable, x0: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], callback: Callable | None = None, **options) -> SolveResult:
    """
    L-BFGS. function(x) returns the value and the gradient; callback(x, value) is asked after every iteration but the last, and ends the solve by returning true. Options as those of schemes.lbfgs.
    """

class Selection:
    """Which blocks are visited with a batch, in which order."""

    def __repr__(self) -> str: ...

def every_layer(order: str = 'backward', with_later: bool = False) -> Selection:
    """
    order: order in which the layers are visited; backward, forward or random
    with_later: visit a layer together with all layers after it; on or off
    """

def blocks_then_all(order: str = 'backward', hidden_layers: int = 1, rows_per_weight: float = 4, alone_on_all_rows: bool = True) -> Selection:
    """
    order: order in which the layers are visited; backward, forward or random
    hidden_layers: neighbouring hidden layers in a block; a whole number of at least 1
    rows_per_weight: rows in the batch for every weight from which on all layers are also visited together; a number of at least 0, or off
    alone_on_all_rows: on all rows, visit all layers together and none by itself as long as that is worth its cost; not in a fit with validation rows; on or off
    """

def neuron_groups(group: int = 1, order: str = 'backward') -> Selection:
    """
    group: neurons of a hidden layer in a block; a whole number of at least 1
    order: order in which the blocks are visited; backward, forward or random
    """

def whole_network() -> Selection: ...

def given_order(blocks: Sequence[tuple[int, int]]) -> Selection:
    """
    blocks: blocks of layers, first and last of each, in the order of their visits; a list of one or more
    """

def fixed_subset(layers: Sequence[int], order: str = 'backward') -> Selection:
    """
    layers: the layers that are visited; one or more whole numbers
    order: order in which they are visited; backward, forward or random
    """

def random_subset(count: int = 1, order: str = 'backward') -> Selection:
    """
    count: layers drawn for a minibatch, at most all; a whole number of at least 1
    order: order in which they are visited; backward, forward or random
    """

def one_layer_per_batch(order: str = 'backward') -> Selection:
    """
    order: order in which the layers are visited; backward, forward or random
    """

def largest_gradient(bound: int = 0) -> Selection:
    """
    bound: sweeps in which every layer is visited; off: twice the number of layers; a whole number of at least 1, or off
    """

def output_layer_only() -> Selection: ...

def output_then_hidden() -> Selection: ...

def backward_sweep() -> Selection: ...

def forward_sweep() -> Selection: ...

def random_sweep() -> Selection: ...

def layer_and_all_after() -> Selection: ...

class Update:
    """How a block is improved."""

    def __repr__(self) -> str: ...

def lbfgs(*, memory: int = 10, max_iterations: int = 30, max_evaluations: int = 0, gradient_tolerance: float = 1e-05, gradient_norm: str = 'euclidean', relative_decrease: float = 0, first_step: str = 'at_most_unit', keep_history: bool = False, decrease: float = 0.0001, curvature: float = 0.9, max_trials: int = 20, line_search: str = 'bracket', quadratic_output: bool = True) -> Update:
    """
    memory: pairs kept by L-BFGS; a whole number of at least 1
    max_iterations: L-BFGS iterations in one visit or round; a whole number of at least 0
    max_evaluations: calls of f in one solve; a whole number of at least 1, or off
    gradient_tolerance: end a visit or round at ||g|| <= this, where neither epsilon nor the run sets another; a number above 0, or off
    gradient_norm: norm of the gradient that a solve compares with its tolerance; euclidean or maximum
    relative_decrease: end a visit or round after an iteration with (f - f+)/max(|f|, |f+|, 1) <= this; a number above 0, or off
    first_step: length of the first trial along the negative gradient; at_most_unit or unit
    keep_history: start with the pairs that the last visit or round left; on or off
    decrease: c1 in f(x + a d) <= f(x) + c1 a g'd; a number above 0, below 0.9
    curvature: c2 in |g(x + a d)'d| <= c2 |g'd|; a number above 0.0001, below 1
    max_trials: evaluations in one line search; a whole number of at least 1
    line_search: how the line search finds its next trial; bracket or more_thuente
    quadratic_output: output layer: evaluate through Z'Z, formed in one pass; on or off
    """

def armijo_gradient_steps(*, steps: int = 1, gradient_tolerance: float = 0, first_step: float = 1, decrease: float = 0.0001, shrink: float = 0.5, max_trials: int = 60, from_last: bool = False) -> Update:
    """
    steps: gradient steps of a visit, at most; a whole number of at least 0
    gradient_tolerance: stop earlier when ||g|| <= this; a number of at least 0
    first_step: step length of the first trial; a number above 0
    decrease: gamma in f(x + alpha d) <= f(x) + gamma alpha g'd; a number above 0, below 1
    shrink: factor of alpha after a refused trial; a number above 0, below 1
    max_trials: evaluations in one line search; a whole number of at least 1
    from_last: begin the line searches of a visit one trial above the block's last step; on or off
    """

def least_squares() -> Update: ...

def conjugate_gradient(*, max_iterations: int = 1000, gradient_tolerance: float = 1e-05, relative_tolerance: float = 0) -> Update:
    """
    max_iterations: products with the Hessian, at most; a whole number of at least 0
    gradient_tolerance: stop when ||g|| <= this; a number of at least 0
    relative_tolerance: stop when ||g|| <= this times the first ||g||; a number of at least 0, below 1
    """

def gauss_newton(*, max_iterations: int = 6, relative_tolerance: float = 0.1, set_up: float = 6, joint_iterations: int = 30, joint_lbfgs: int = 25, joint_pairs: int = 50, joint_damping: float = 0.001, damping: float = 0.01, change: float = 1.5, after_refusal: float = 4, noise_damping: float = 4, least_damping: float = 1e-15, most_damping: float = 1000000) -> Update:
    """
    max_iterations: conjugate gradient iterations in one visit, at most; a whole number of at least 0
    relative_tolerance: relative residual at which they end; a number above 0, or off
    set_up: what a visit costs beside them, in iterations: more are done only while they pay; a number above 0, or off
    joint_iterations: conjugate gradient iterations where all layers are visited together, at most; a whole number of at least 0
    joint_lbfgs: L-BFGS iterations in a visit of all layers together on all rows; off, and in a fit with validation rows: conjugate gradients, as on minibatches; a whole number of at least 1, or off
    joint_pairs: pairs kept by that L-BFGS; a whole number of at least 1
    joint_damping: damping of its first matrix, as a fraction of f; a number above 0
    damping: first damping of every block, or f there, whichever is less; a number above 0
    change: the damping is divided by it where the model predicts well, multiplied where badly; a number of at least 1
    after_refusal: the damping is multiplied by it where f did not decrease, or a minibatch was undone; a number of at least 1
    noise_damping: k in damping >= k f (1/batch - 1/rows); a number above 0, or off
    least_damping: smallest damping; a number above 0
    most_damping: largest damping; a number of at least 1e-15
    """

def gradient_step(*, normalise: bool = True, least: float = 0.001, most: float = 1000000, sum: bool = False) -> Update:
    """
    normalise: divide the step by the norm of the gradient; on or off
    least: smallest norm to divide by; a number above 0, at most 1000000
    most: largest norm to divide by; a number above 0
    sum: gradient of the minibatch's sum, as the paper's f_h, instead of its mean; on or off
    """

def adam(*, rate: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08, cosine: bool = False) -> Update:
    """
    rate: step size; a number above 0
    beta1: decay of the mean gradient; a number of at least 0, below 1
    beta2: decay of the mean squared gradient; a number of at least 0, below 1
    epsilon: added to the root of the mean squared gradient; a number above 0
    cosine: let the rate fall to zero along a cosine until the limit is met; on or off
    """

def adagrad(*, rate: float = 0.01, epsilon: float = 1e-10) -> Update:
    """
    rate: step size; a number above 0
    epsilon: added to the root of the summed squares; a number above 0
    """

def svrg(*, rate: float = 0.05, snapshot_every: int = 2) -> Update:
    """
    rate: step size; a number above 0
    snapshot_every: epochs between full gradients; a whole number of at least 1
    """

def saga(*, rate: float = 0.02, memory_limit: int = 1073741824) -> Update:
    """
    rate: step size; a number above 0
    memory_limit: bytes for the table of minibatch gradients; a whole number of at least 0
    """

class Acceptance:
    """When a trial point may replace the old one."""

    def __repr__(self) -> str: ...

def any_decrease() -> Acceptance: ...

def at_least_armijo(*, coefficient: float = 1e-12, power: float = 2, first_step: float = 1, decrease: float = 0.0001, shrink: float = 0.5, max_trials: int = 60) -> Acceptance:
    """
    coefficient: c in f(w~) - f(w) <= -c ||w~ - w||^power; a number of at least 0
    power: of the step's length in that condition; a number above 0
    first_step: step length of the first trial; a number above 0
    decrease: gamma in f(x + alpha d) <= f(x) + gamma alpha g'd; a number above 0, below 1
    shrink: factor of alpha after a refused trial; a number above 0, below 1
    max_trials: evaluations in one line search; a whole number of at least 1
    """

class Partition(enum.Enum):
    fixed = 0

    every_epoch = 1

class BatchOrder(enum.Enum):
    incremental = 0

    stochastic = 1

    without_replacement = 2

class Precision(enum.Enum):
    float64 = 0

    float32 = 1

class StepRule(enum.Enum):
    constant = 0

    diminishing = 1

    harmonic = 2

class Batches:
    """How rows are grouped; size 0: all rows, the batch scheme."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def size(self) -> int:
        """rows in a minibatch; off: all rows"""

    @size.setter
    def size(self, arg: int, /) -> None: ...

    @property
    def partition(self) -> Partition:
        """whether the rows are cut into minibatches once or in every epoch"""

    @partition.setter
    def partition(self, arg: Partition, /) -> None: ...

    @property
    def order(self) -> BatchOrder:
        """order of the minibatches in an epoch"""

    @order.setter
    def order(self, arg: BatchOrder, /) -> None: ...

    @property
    def all_rows_first(self) -> bool:
        """begin an epoch with a batch of all rows"""

    @all_rows_first.setter
    def all_rows_first(self, arg: bool, /) -> None: ...

    @property
    def skip_short(self) -> bool:
        """leave out a last minibatch of less than half the size"""

    @skip_short.setter
    def skip_short(self, arg: bool, /) -> None: ...

    @property
    def grow_below(self) -> float:
        """
        double the batch when an epoch's mean loss falls by less than this fraction, halved each time
        """

    @grow_below.setter
    def grow_below(self, arg: float, /) -> None: ...

    @property
    def grow_after(self) -> int:
        """
        rows of a long epoch after which its mean loss is judged, or 16 batches if they have more; of a shorter one a quarter as many; off: at its end
        """

    @grow_after.setter
    def grow_after(self, arg: int, /) -> None: ...

    @property
    def grow_in_short_epochs(self) -> bool:
        """
        judge the mean loss inside epochs that are not long, too; a fit with validation rows does not
        """

    @grow_in_short_epochs.setter
    def grow_in_short_epochs(self, arg: bool, /) -> None: ...

    @property
    def precision(self) -> Precision:
        """
        of activations and gradients on minibatches and, where validation rows choose the weights, on all rows
        """

    @precision.setter
    def precision(self, arg: Precision, /) -> None: ...

    @property
    def all_rows(self) -> Precision:
        """of activations and gradients in visits on all rows"""

    @all_rows.setter
    def all_rows(self, arg: Precision, /) -> None: ...

class BlockTolerance:
    """epsilon of B2LD, smaller by `factor` from sweep to sweep."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def first(self) -> float:
        """gradient norm at which a layer is left alone, first sweep"""

    @first.setter
    def first(self, arg: float, /) -> None: ...

    @property
    def factor(self) -> float:
        """factor of epsilon from sweep to sweep"""

    @factor.setter
    def factor(self, arg: float, /) -> None: ...

    @property
    def skip(self) -> bool:
        """leave a layer that is within epsilon already as it is"""

    @skip.setter
    def skip(self, arg: bool, /) -> None: ...

class StepSize:
    """How the step of gradient updates changes from minibatch to minibatch."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def rule(self) -> StepRule:
        """how the step size changes from minibatch to minibatch"""

    @rule.setter
    def rule(self, arg: StepRule, /) -> None: ...

    @property
    def first(self) -> float:
        """step size"""

    @first.setter
    def first(self, arg: float, /) -> None: ...

    @property
    def epsilon(self) -> float:
        """d in rate <- rate (1 - d rate) after every minibatch"""

    @epsilon.setter
    def epsilon(self, arg: float, /) -> None: ...

class Stopping:
    """When a run ends; 0, or -inf for the objective: no such rule."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def gradient_norm(self) -> float:
        """stop when ||grad f|| <= this"""

    @gradient_norm.setter
    def gradient_norm(self, arg: float, /) -> None: ...

    @property
    def gradient_every_sweep(self) -> bool:
        """
        test the gradient after every sweep, not only after one that left all layers alone
        """

    @gradient_every_sweep.setter
    def gradient_every_sweep(self, arg: bool, /) -> None: ...

    @property
    def gradient_every_visit(self) -> bool:
        """
        test the gradient of the whole network after every visit or round, and not inside it
        """

    @gradient_every_visit.setter
    def gradient_every_visit(self, arg: bool, /) -> None: ...

    @property
    def relative_decrease(self) -> float:
        """stop when (f - f+)/max(f, 1) <= this at the last visit of every layer"""

    @relative_decrease.setter
    def relative_decrease(self, arg: float, /) -> None: ...

    @property
    def max_sweeps(self) -> int:
        """passes over the data"""

    @max_sweeps.setter
    def max_sweeps(self, arg: int, /) -> None: ...

    @property
    def max_evaluations(self) -> int:
        """evaluations of the objective or of a part of it"""

    @max_evaluations.setter
    def max_evaluations(self, arg: int, /) -> None: ...

    @property
    def seconds(self) -> float:
        """charged time"""

    @seconds.setter
    def seconds(self, arg: float, /) -> None: ...

    @property
    def objective_at_most(self) -> float:
        """stop when f <= this"""

    @objective_at_most.setter
    def objective_at_most(self, arg: float, /) -> None: ...

class Reporting:
    """When the full objective of a minibatch run is evaluated."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def every_sweeps(self) -> int:
        """sweeps between evaluations"""

    @every_sweeps.setter
    def every_sweeps(self, arg: int, /) -> None: ...

    @property
    def every_seconds(self) -> float:
        """charged time between them"""

    @every_seconds.setter
    def every_seconds(self, arg: float, /) -> None: ...

    @property
    def steps(self) -> bool:
        """keep a record of every step"""

    @steps.setter
    def steps(self, arg: bool, /) -> None: ...

class LookAhead:
    """Undoes minibatches that make the rows of the next one worse."""

    def __init__(self, **kwargs) -> None: ...

    @property
    def most_increase(self) -> float:
        """
        undo a minibatch after which the next one's objective is larger by more than this fraction
        """

    @most_increase.setter
    def most_increase(self, arg: float, /) -> None: ...

class Scheme:
    """A training method: a recipe made of parts, each replaceable alone."""

    def __init__(self, hidden: Update, output: Update | None = None, **parts) -> None:
        """
        The updates of hidden layers and of the output layer (None: the same), and other parts by name.
        """

    @property
    def name(self) -> str: ...

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def batches(self) -> Batches: ...

    @batches.setter
    def batches(self, arg: Batches, /) -> None: ...

    @property
    def selection(self) -> Selection: ...

    @selection.setter
    def selection(self, arg: Selection, /) -> None: ...

    @property
    def acceptance(self) -> Acceptance: ...

    @acceptance.setter
    def acceptance(self, arg: Acceptance, /) -> None: ...

    @property
    def look_ahead(self) -> LookAhead: ...

    @look_ahead.setter
    def look_ahead(self, arg: LookAhead, /) -> None: ...

    @property
    def tolerance(self) -> BlockTolerance: ...

    @tolerance.setter
    def tolerance(self, arg: BlockTolerance, /) -> None: ...

    @property
    def step_size(self) -> StepSize: ...

    @step_size.setter
    def step_size(self, arg: StepSize, /) -> None: ...

    @property
    def stopping(self) -> Stopping: ...

    @stopping.setter
    def stopping(self, arg: Stopping, /) -> None: ...

    @property
    def reporting(self) -> Reporting: ...

    @reporting.setter
    def reporting(self, arg: Reporting, /) -> None: ...

    def set_updates(self, hidden: Update, output: Update | None = None) -> None: ...

    def __copy__(self) -> Scheme: ...

    def __repr__(self) -> str: ...

def preset(method: str, layers: int, values: Mapping[str, str]) -> Scheme: ...

def regression_losses() -> list[str]: ...

def methods() -> dict[str, str]: ...

def method_options(method: str) -> list[dict[str, str]]: ...

class TrainingResult:
    """Why a run ended, what it reached and what it cost."""

    @property
    def reason(self) -> str: ...

    @property
    def message(self) -> str: ...

    @property
    def value(self) -> float:
        """The full objective at the best weights."""

    @property
    def gradient_norm(self) -> float: ...

    @property
    def validation_loss(self) -> float: ...

    @property
    def best_sweep(self) -> int: ...

    @property
    def sweeps(self) -> int: ...

    @property
    def refused(self) -> int: ...

    @property
    def updates_per_layer(self) -> list[int]: ...

    @property
    def seconds(self) -> float:
        """Charged to the method."""

    @property
    def elapsed_seconds(self) -> float: ...

    @property
    def processes(self) -> int:
        """How many shared the rows."""

    @property
    def history(self) -> list[dict[str, Any]]:
        """A dict for each sweep."""

    @property
    def steps(self) -> list[dict[str, Any]]:
        """A dict for each step, where the scheme keeps them (reporting.steps)."""

    def __repr__(self) -> str: ...

class Rows:
    def __init__(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

def train(network: Network, rows: Rows, scheme: Scheme, l2: float, seed: int, threads: int, validation: Rows | None, patience: int, step: object | None, sweep: object | None, comm: object | None) -> TrainingResult: ...

class Model:
    """A trained network with all that turns raw rows into predictions."""

    def save(self, path: str | os.PathLike) -> None:
        """Writes the file that the command line reads; all of it or nothing."""

    def to_bytes(self) -> bytes:
        """What save would write."""

    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...

    def to_onnx(self) -> bytes:
        """An ONNX graph."""

    def write_onnx(self, path: str | os.PathLike) -> None: ...

    def write_c(self, path: str | os.PathLike) -> None:
        """Writes path.h and path.c."""

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

    def __deepcopy__(self, memo: object) -> Model: ...

    def predict_numbers(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int, what: str = 'response') -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        A column for each target, class or level. what: response; scores, the log-odds of classes; with_spread, further columns with the standard deviations over the members; or for_intervals, what interval takes.
        """

    def predict_table(self, table: Table, threads: int, what: str = 'response') -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    def interval(self, predictions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], coverage: float, allow_empty: bool = False) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        From predictions for_intervals: low and high for each target, or 1 for every class of the set, 0 for others.
        """

    @property
    def networks(self) -> list[Network]:
        """Copies, one for each member."""

    @property
    def input_names(self) -> list[str]: ...

    @property
    def feature_names(self) -> list[str]: ...

    @property
    def target_names(self) -> list[str]: ...

    @property
    def predicted_names(self) -> list[str]:
        """Of the columns of predictions."""

    @property
    def classes(self) -> list[str]:
        """Labels of a classification; empty for a regression."""

    @property
    def temperature(self) -> float: ...

    @property
    def levels(self) -> list[float]:
        """Of quantiles; empty for other losses."""

    @property
    def takes_numbers(self) -> bool:
        """True when every input is a number that is only scaled."""

    @property
    def training(self) -> dict[str, Any]: ...

    def inspect(self) -> dict[str, Any]: ...

    def __repr__(self) -> str: ...

def load_model(path: str | os.PathLike) -> Model: ...

class FitOptions:
    def __init__(self) -> None: ...

    def use_effort(self, name: str) -> None:
        """
        Sets members, hidden, knots, bends, lines, interactions, l2 and patience.
        """

    def use_method(self, name: str) -> None:
        """
        Sets the method, and the hidden layers and the activation where it has its own.
        """

    def make_strict(self) -> None: ...

    def set(self, name: str, texts: Sequence[str], shown_as: str) -> None:
        """
        Sets one of fit_options() by its texts, the items of a list one by one.
        """

    def get(self, name: str) -> str:
        """One of fit_options() as text."""

    @property
    def method_options(self) -> dict[str, str]: ...

    @method_options.setter
    def method_options(self, arg: Mapping[str, str], /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    memory: str

def fit_options() -> list[dict[str, str]]: ...

class NumberRows:
    def __init__(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, names: Sequence[str], target_names: Sequence[str], labels: Sequence[str]) -> None:
        """labels: of classes, whose codes from 0 are y."""

    def __len__(self) -> int: ...

class Fitted:
    @property
    def model(self) -> Model: ...

    @property
    def training(self) -> TrainingResult: ...

    @property
    def notices(self) -> list[str]: ...

    @property
    def l2(self) -> float: ...

    def raise_pending(self) -> None: ...

def fit_numbers(rows: NumberRows, validation: NumberRows | None, options: FitOptions, start: Model | None, sweep: object | None, comm: object | None) -> Fitted: ...

def fit_table(table: Table, validation: Table | None, options: FitOptions, start: Model | None, sweep: object | None, comm: object | None) -> Fitted: ...
