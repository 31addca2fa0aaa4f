"""The evaluation that Strata does, in plain numpy: sigmoid layers, linear output, one constant input, no other bias."""

import numpy as np


def random_problem(rows, inputs, hidden, seed=1):
    """Rows with a constant column, targets, and weights uniform on (-0.5, 0.5)."""
    rng = np.random.default_rng(seed)
    x = np.hstack([rng.random((rows, inputs)), np.ones((rows, 1))])
    sizes = [inputs + 1, *hidden, 1]
    weights = [rng.uniform(-0.5, 0.5, (a, b)) for a, b in zip(sizes, sizes[1:])]
    return x, rng.random((rows, 1)), weights


def sigmoid(a):
    """In place: the temporaries of the textbook formula would cost numpy more."""
    np.negative(a, out=a)
    np.exp(a, out=a)
    a += 1
    np.reciprocal(a, out=a)
    return a


def textbook_sigmoid(a):
    return 1 / (1 + np.exp(-a))


def forward(weights, z, first=0, activation=sigmoid):
    """Outputs of layers first, first+1, ...; the last entry is the network's output."""
    activations = []
    for w in weights[first:-1]:
        z = activation(z @ w)
        activations.append(z)
    activations.append(z @ weights[-1])
    return activations


def value_and_gradients(weights, x, y, l2, activation=sigmoid):
    """f and the gradient of every layer: one forward and one backward pass."""
    z = [x, *forward(weights, x, activation=activation)]
    error = z[-1] - y
    delta = (2 / len(x)) * error
    gradients = [None] * len(weights)
    for layer in range(len(weights) - 1, -1, -1):
        gradients[layer] = z[layer].T @ delta + 2 * l2 * weights[layer]
        if layer > 0:
            delta = (delta @ weights[layer].T) * (z[layer] * (1 - z[layer]))
    value = float(np.vdot(error, error)) / len(x) + l2 * sum(float(np.vdot(w, w)) for w in weights)
    return value, gradients


def block_gradient(weights, layer, z, y, l2):
    """Gradient of one layer from its input z: forward from there, backward to it."""
    tail = forward(weights, z, layer)
    delta = (2 / len(z)) * (tail[-1] - y)
    for k in range(len(weights) - 1, layer, -1):
        a = tail[k - 1 - layer]
        delta = (delta @ weights[k].T) * (a * (1 - a))
    return z.T @ delta + 2 * l2 * weights[layer]
