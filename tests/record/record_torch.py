"""Records what PyTorch's autograd says of small networks, for tests/policy/mlp_torch_test.cpp to compare with.

Run by hand, when a case is added; Debian's module loads only in Debian's own Python:

    apt-get install --no-install-recommends python3-torch
    /usr/bin/python3 tests/record/record_torch.py tests/golden/torch

Each file holds one case, a line a field: first the policy, then a batch of trajectories of unequal length laid end to
end, then what is expected of it. Parameters are flat in PyTorch's order of a Sequential of Linear layers, which is
ours: weight [out][in], then bias, layer by layer. Log-ratios come from torch.distributions.Normal, distances from
kl_divergence, the gradient is the backward pass of

    sum_j weight_j sum_l credit_l log pi(a_l | s_l)

in float64. Numbers are shortest round-trip decimals; those made up here have few digits.
"""

import pathlib
import platform
import sys

import torch
from torch.distributions import Normal, kl_divergence
from torch.nn.utils import parameters_to_vector, vector_to_parameters

ACTIVATIONS = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU, "identity": torch.nn.Identity}

# name: sizes, activation, bias, variance, scaled observations, scaled actions, credit, discount, lengths
CASES = {
    "half_cheetah": ([17, 32, 32, 6], "tanh", False, [0.1], False, False, "reward-to-go", 1.0, [7, 3, 1, 9, 4]),
    "half_cheetah_return": ([17, 32, 32, 6], "tanh", False, [0.1], False, False, "return", 0.97, [5, 8]),
    "relu_bias": ([5, 16, 8, 3], "relu", True, [0.2, 0.5, 1.3], True, True, "reward-to-go", 0.95,
                  [3, 12, 1, 1, 6, 20, 2, 5, 4]),
    "tanh_bias": ([4, 9, 1], "tanh", True, [0.3], False, True, "return", 1.0, [70, 64, 65, 1]),
    "identity": ([8, 8, 3, 2], "identity", True, [0.4, 0.6], True, False, "reward-to-go", 0.9, [6, 2, 11]),
    "no_hidden_layer": ([3, 9], "tanh", True, [0.7], False, False, "reward-to-go", 0.99, [4, 5, 6, 7, 8]),
}


def made_up(*shape, scale=1.0, digits=4):
    """Normal numbers that take few bytes to write."""
    return torch.round(scale * torch.randn(*shape), decimals=digits)


def network(sizes, activation, bias):
    layers = []
    for i in range(len(sizes) - 1):
        layers.append(torch.nn.Linear(sizes[i], sizes[i + 1], bias=bias))
        if i + 2 < len(sizes):
            layers.append(ACTIVATIONS[activation]())
    return torch.nn.Sequential(*layers)


def text(values):
    return " ".join(repr(float(value)) for value in torch.as_tensor(values).reshape(-1))


def record(name, sizes, activation, bias, variance, scaled, scaled_actions, credit, discount, lengths):
    steps, count = sum(lengths), len(lengths)
    shift, scale = (made_up(sizes[0], scale=0.5), made_up(sizes[0], scale=0.7)) if scaled else ([], [])
    action_shift, action_scale = (made_up(sizes[-1], scale=0.5), made_up(sizes[-1])) if scaled_actions else ([], [])
    model = network(sizes, activation, bias)
    deviation = torch.sqrt(torch.tensor(variance))

    def policy(theta):
        vector_to_parameters(theta, model.parameters())
        x = (observations - shift) * scale if scaled else observations
        mean = model(x)
        return Normal(action_shift + action_scale * mean if scaled_actions else mean, deviation)

    def by_trajectory(values):
        return torch.stack([part.sum() for part in torch.split(values, lengths)])

    start = parameters_to_vector(model.parameters()).detach()
    behavior = made_up(*start.shape, scale=float(1.0 / max(4, sizes[0]) ** 0.5))
    target = torch.round(behavior + made_up(*start.shape, scale=0.05), decimals=4)
    observations, rewards, weights = made_up(steps, sizes[0]), made_up(steps), made_up(count)
    weights[0] = 0.0 if count > 2 else weights[0]
    with torch.no_grad():
        before = policy(behavior)
        actions = torch.round(before.sample(), decimals=4)

    # The credit of a step, straight from its definition.
    credits = torch.zeros(steps)
    for first, length in zip((sum(lengths[:j]) for j in range(count)), lengths):
        discounted = [discount ** t * float(rewards[first + t]) for t in range(length)]
        for l in range(length):
            credits[first + l] = sum(discounted[0 if credit == "return" else l:])

    after = policy(target)
    log_density = after.log_prob(actions).sum(1)
    step_weights = torch.cat([weight.repeat(length) for weight, length in zip(weights, lengths)])
    model.zero_grad()
    (step_weights * credits * log_density).sum().backward()
    gradient = torch.cat([parameter.grad.reshape(-1) for parameter in model.parameters()])
    log_ratio = by_trajectory((log_density - before.log_prob(actions).sum(1)).detach())
    distance = by_trajectory(2.0 * kl_divergence(after, before).sum(1).detach())

    fields = {"sizes": " ".join(map(str, sizes)), "activation": activation, "bias": str(int(bias)),
              "variance": text(variance), "shift": text(shift), "scale": text(scale),
              "action_shift": text(action_shift), "action_scale": text(action_scale), "credit": credit,
              "discount": repr(discount), "lengths": " ".join(map(str, lengths)), "behavior": text(behavior),
              "target": text(target), "weights": text(weights), "observations": text(observations),
              "actions": text(actions), "rewards": text(rewards), "log_ratio": text(log_ratio),
              "distance": text(distance), "gradient": text(gradient)}
    lines = [f"# {name}: made by tests/record/record_torch.py with PyTorch {torch.__version__}, "
             f"Python {platform.python_version()}, float64"]
    return "\n".join(lines + [f"{key} {value}".rstrip() for key, value in fields.items()]) + "\n"


def main(folder):
    torch.set_default_dtype(torch.float64)
    for number, (name, case) in enumerate(CASES.items()):
        torch.manual_seed(20260101 + number)
        (pathlib.Path(folder) / f"{name}.txt").write_text(record(name, *case))


main(sys.argv[1])
