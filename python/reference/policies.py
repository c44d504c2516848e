"""Policies with the functions of rpg.LinearGaussian: a Gaussian network, and softmax over linear logits or a network.

Parameters are flat, layer by layer: the matrix row by row, one row per output, then the biases if there are any.
"""

import numpy as np


class Network:
    """Fully connected, tanh between the layers, linear at the end."""

    def __init__(self, sizes, bias=False):
        self.shapes = list(zip(sizes[1:], sizes[:-1]))
        self.bias = bias
        self.size = sum(rows * (columns + bias) for rows, columns in self.shapes)

    def layers(self, theta):
        at = 0
        for rows, columns in self.shapes:
            matrix = theta[at : at + rows * columns].reshape(rows, columns)
            at += rows * columns
            offset = theta[at : at + rows] if self.bias else np.zeros(rows)
            at += rows if self.bias else 0
            yield matrix, offset

    def activations(self, theta, inputs):
        """The input, the hidden layers, and the output, each [T, units]."""
        values = [inputs]
        for layer, (matrix, offset) in enumerate(self.layers(theta)):
            output = values[-1] @ matrix.T + offset
            values.append(output if layer == len(self.shapes) - 1 else np.tanh(output))
        return values

    def __call__(self, theta, inputs):
        return self.activations(theta, inputs)[-1]

    def gradients(self, theta, inputs, delta):
        """One row per step: the gradient of delta_t' output_t, by backpropagation."""
        values, parts = self.activations(theta, inputs), []
        for (matrix, _), value in zip(reversed(list(self.layers(theta))), reversed(values[:-1])):
            part = [(delta[:, :, None] * value[:, None, :]).reshape(len(inputs), -1)]
            parts = part + ([delta] if self.bias else []) + parts
            delta = (delta @ matrix) * (1.0 - value**2)
        return np.concatenate(parts, axis=1)


class NetworkGaussian:
    """pi_theta(a | s) = N(network(s), diag sigma^2), one variance for all actions or one per action."""

    def __init__(self, sizes, variance=0.3, bias=False):
        self.network = Network(sizes, bias)
        self.variance = np.broadcast_to(np.asarray(variance, dtype=float), sizes[-1])

    def log_density(self, theta, s, a):
        return -0.5 * np.sum((a - self.network(theta, s)) ** 2 / self.variance, axis=1)

    def score(self, theta, s, a):
        return self.network.gradients(theta, s, (a - self.network(theta, s)) / self.variance)

    def log_divergence(self, theta, theta_b, s, order=2.0):
        shift = self.network(theta, s) - self.network(theta_b, s)
        return 0.5 * order * (order - 1.0) * np.sum(shift**2 / self.variance, axis=1)


class Softmax:
    """pi_theta(a | s) = e^{z_a} / sum_b e^{z_b}, logits z from a network; sizes (d_s, actions) are linear logits."""

    def __init__(self, sizes, bias=False):
        self.network = Network(sizes, bias)

    def log_probabilities(self, theta, s):
        logits = self.network(theta, s)
        return logits - np.logaddexp.reduce(logits, axis=1)[:, None]

    def log_density(self, theta, s, a):
        return self.log_probabilities(theta, s)[np.arange(len(s)), a[:, 0].astype(int)]

    def score(self, theta, s, a):
        chosen = np.eye(self.network.shapes[-1][0])[a[:, 0].astype(int)]
        return self.network.gradients(theta, s, chosen - np.exp(self.log_probabilities(theta, s)))

    def log_divergence(self, theta, theta_b, s, order=2.0):
        p, q = self.log_probabilities(theta, s), self.log_probabilities(theta_b, s)
        return np.logaddexp.reduce(order * p + (1.0 - order) * q, axis=1)
