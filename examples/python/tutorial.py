# %% [markdown]
# # Strata in Python, step by step
#
# Editors that know `# %%` show this file as a notebook; as a program it runs from top to bottom:
# `.venv/bin/python examples/python/tutorial.py`.

# %% A table
# `strata.read_table("file.csv")` reads a file as the command line does. Here the table is made up.
import numpy as np

import strata
from strata import schemes

table = strata.friedman1(rows=1500, inputs=6, noise=1.0, seed=1)
*inputs, target = table.names
X = np.column_stack([table.column(name) for name in inputs])
y = table.column(target)
print(f"{len(X)} rows of {inputs}")

# %% Fit and predict
# Without any option: three layers of 50, block layer Gauss-Newton, 15 % of the rows to stop by.
model = strata.StrataRegressor(random_state=1).fit(X[:1000], y[:1000])
error = np.sqrt(np.mean((model.predict(X[1000:]) - y[1000:]) ** 2))
print(f"{model.result_}; RMSE on new rows {error:.2f}, the noise has 1.00")

# %% What happened
# Every epoch left a record; as a data frame it is easy to look at.
print(model.result_.to_frame()[["sweep", "value", "validation_loss", "batch_size"]].tail(3).to_string(index=False))

# %% Files
# The command line reads what Python wrote, and the other way round: `strata predict model.safetensors rows.csv`.
model.save("model.safetensors")
loaded = strata.load_model("model.safetensors")
print("same predictions from the file:", bool((loaded.predict(X) == model.predict(X)).all()))

# %% The objective itself
# Weights are lists of arrays (fan_in, fan_out); gradients come for all layers or for a block of them.
scaled = (X - X.mean(0)) / X.std(0), (y - y.mean()) / y.std()
objective = strata.Objective(*scaled, hidden=(20, 20, 20), l2=1e-4)
network = objective.network
network.initialise("glorot", seed=1)
value, gradient = objective.value_and_gradient(network.weights)
print(f"f = {value:.4f}; gradient norms by layer:", [f"{np.linalg.norm(g):.2e}" for g in gradient])

# %% A method of your own
# A scheme is made of parts. This one solves the output layer exactly and the others by L-BFGS, in random order.
scheme = schemes.Scheme(
    schemes.lbfgs(max_iterations=10),
    schemes.least_squares(),
    name="mine",
    selection=schemes.random_sweep(),
    stopping=schemes.Stopping(max_sweeps=30),
)
steps = []
result = strata.train(network, *scaled, scheme, l2=1e-4, callback=lambda step: steps.append(step))
print(f"{result}; {len(steps)} steps, {sum(step['fallback'] for step in steps)} of them fell back to Armijo's")

# %% A step by hand
# One damped Gauss-Newton step in one layer, by conjugate gradients on products with J'J.
weights = network.weights
local = objective.gauss_newton(weights, layer=1)
damping, direction, residual = 0.1, np.zeros_like(weights[1]), -local.gradient
search = residual.copy()
for _ in range(20):
    product = local.times(search) + (2e-4 + damping) * search
    length = (residual * residual).sum() / (search * product).sum()
    direction += length * search
    previous, residual = residual, residual - length * product
    search = residual + (residual * residual).sum() / (previous * previous).sum() * search
before = objective.value(weights)
weights[1] += direction
print(f"Gauss-Newton in layer 1: f from {before:.5f} to {objective.value(weights):.5f}")
