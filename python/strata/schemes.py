"""Parts of training methods, under the names they have in C++; a Scheme is made of them.

    scheme = Scheme(lbfgs(max_iterations=20), least_squares(), selection=random_sweep(),
                    stopping=Stopping(max_sweeps=50))
"""

from __future__ import annotations

from typing import Any

from ._options import as_text as _as_text
from ._options import dashed as _dashed
from ._strata import (
    Acceptance,
    adagrad,
    adam,
    any_decrease,
    armijo_gradient_steps,
    at_least_armijo,
    backward_sweep,
    Batches,
    BatchOrder,
    blocks_then_all,
    BlockTolerance,
    conjugate_gradient,
    every_layer,
    fixed_subset,
    forward_sweep,
    gauss_newton,
    given_order,
    gradient_step,
    largest_gradient,
    layer_and_all_after,
    lbfgs,
    least_squares,
    LookAhead,
    neuron_groups,
    one_layer_per_batch,
    output_layer_only,
    output_then_hidden,
    Partition,
    Precision,
    random_subset,
    random_sweep,
    Reporting,
    saga,
    Scheme,
    Selection,
    StepRule,
    StepSize,
    Stopping,
    svrg,
    Update,
    whole_network,
)
from ._strata import preset as _preset


def preset(method: str, layers: int, **options: Any) -> Scheme:
    """A method by name, for a network of that many layers; its parts can then be exchanged one by one."""
    return _preset(method, layers, {_dashed(name): _as_text(value) for name, value in options.items()})


__all__ = [
    "Acceptance", "adagrad", "adam", "any_decrease", "armijo_gradient_steps", "at_least_armijo", "backward_sweep",
    "Batches", "BatchOrder", "blocks_then_all", "BlockTolerance", "conjugate_gradient", "every_layer", "fixed_subset",
    "forward_sweep", "gauss_newton", "given_order", "gradient_step", "largest_gradient", "layer_and_all_after", "lbfgs",
    "least_squares", "LookAhead", "neuron_groups", "one_layer_per_batch", "output_layer_only", "output_then_hidden", "Partition",
    "Precision", "random_subset", "random_sweep", "Reporting", "saga", "Scheme", "Selection", "StepRule", "StepSize",
    "Stopping", "svrg", "Update", "whole_network", "preset",
]
