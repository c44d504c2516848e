"""Records what PyTorch's autograd says of small networks, for tests/policy/mlp_torch_test.cpp to compare with.

Run by hand, when a case is added; Debian's module loads only in Debian's own Python:

    apt-get install --no-install-recommends python3-torch
    /usr/bin/python3 tests/record/record_torch.py tests/golden/torch [CASE ...]

Each file holds one case, a line a field: first the policy, then a batch of trajectories of unequal length laid end to
end, then what is expected of it. Parameters are flat in PyTorch's order of a Sequential of Linear layers, which is
ours: weight [out][in], then bias, layer by layer. Log-ratios come from torch.distributions.Normal, distances from
kl_divergence, the gradient is the backward pass of

    sum_j weight_j sum_l credit_l log pi(a_l | s_l)

in float64. With learned deviations the parameters end with log sigma, one per action, the divergence is kl_divergence,
and renyi is sum_t log E_b[(pi / pi_b)^2] by the trapezoidal rule, which needs no closed form. Numbers are shortest round-trip decimals; those made up here have few digits.
"""

import pathlib
import platform
import sys

import torch
from torch.distributions import Normal, kl_divergence
from torch.nn.utils import parameters_to_vector, vector_to_parameters

ACTIVATIONS = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU, "identity": torch.nn.Identity}

# name: sizes, activation, bias, variance, scaled observations, scaled actions, credit, discount, lengths, and whether
# deviations are learned
CASES = {
    "half_cheetah": ([17, 32, 32, 6], "tanh", False, [0.1], False, False, "reward-to-go", 1.0, [7, 3, 1, 9, 4]),
    "half_cheetah_return": ([17, 32, 32, 6], "tanh", False, [0.1], False, False, "return", 0.97, [5, 8]),
    "relu_bias": ([5, 16, 8, 3], "relu", True, [0.2, 0.5, 1.3], True, True, "reward-to-go", 0.95,
                  [3, 12, 1, 1, 6, 20, 2, 5, 4]),
    "tanh_bias": ([4, 9, 1], "tanh", True, [0.3], False, True, "return", 1.0, [70, 64, 65, 1]),
    "identity": ([8, 8, 3, 2], "identity", True, [0.4, 0.6], True, False, "reward-to-go", 0.9, [6, 2, 11]),
    "no_hidden_layer": ([3, 9], "tanh", True, [0.7], False, False, "reward-to-go", 0.99, [4, 5, 6, 7, 8]),
    "learned_deviation": ([5, 16, 8, 3], "tanh", True, [0.2, 0.5, 1.3], True, True, "reward-to-go", 0.95,
                          [3, 12, 1, 6, 20, 2, 5], True),
    "learned_deviation_linear": ([4, 2], "identity", False, [0.3, 0.3], True, False, "return", 0.97, [5, 8, 130], True),
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


def log_second_moment(after, before):
    """log E_before[(after / before)^2] of every action, from a grid that reaches where nothing is left."""
    width = 15.0 * torch.maximum(after.stddev, before.stddev)
    unit = torch.linspace(-1.0, 1.0, 4001).reshape(-1, 1, 1)
    grid = after.mean + width * unit
    powers = 2.0 * after.log_prob(grid) - before.log_prob(grid)
    return torch.log(torch.trapezoid(torch.exp(powers), dx=2.0 / 4000, dim=0) * width)


def record(name, sizes, activation, bias, variance, scaled, scaled_actions, credit, discount, lengths, learned=False):
    steps, count = sum(lengths), len(lengths)
    shift, scale = (made_up(sizes[0], scale=0.5), made_up(sizes[0], scale=0.7)) if scaled else ([], [])
    action_shift, action_scale = (made_up(sizes[-1], scale=0.5), made_up(sizes[-1])) if scaled_actions else ([], [])
    model = network(sizes, activation, bias)
    log_sigma = torch.nn.Parameter(0.5 * torch.log(torch.tensor(variance)))
    parameters = [*model.parameters()] + ([log_sigma] if learned else [])

    def policy(theta):
        vector_to_parameters(theta, parameters)
        x = (observations - shift) * scale if scaled else observations
        mean = model(x)
        deviation = log_sigma.exp() if learned else torch.sqrt(torch.tensor(variance))
        return Normal(action_shift + action_scale * mean if scaled_actions else mean, deviation)

    def by_trajectory(values):
        return torch.stack([part.sum() for part in torch.split(values, lengths)])

    start = parameters_to_vector(parameters).detach()
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
    for parameter in parameters:
        parameter.grad = None
    (step_weights * credits * log_density).sum().backward()
    gradient = torch.cat([parameter.grad.reshape(-1) for parameter in parameters])
    log_ratio = by_trajectory((log_density - before.log_prob(actions).sum(1)).detach())
    divergence = by_trajectory(kl_divergence(after, before).sum(1).detach())
    if learned:
        renyi = by_trajectory(log_second_moment(after, before).sum(1).detach())
        distances = {"divergence": text(divergence), "renyi": text(renyi)}
    else:
        distances = {"distance": text(2.0 * divergence)}

    fields = {"sizes": " ".join(map(str, sizes)), "activation": activation, "bias": str(int(bias)),
              "variance": text(variance), "shift": text(shift), "scale": text(scale),
              "action_shift": text(action_shift), "action_scale": text(action_scale), "credit": credit,
              "discount": repr(discount), "lengths": " ".join(map(str, lengths)), "behavior": text(behavior),
              "target": text(target), "weights": text(weights), "observations": text(observations),
              "actions": text(actions), "rewards": text(rewards), "log_ratio": text(log_ratio),
              **distances, "gradient": text(gradient)}
    lines = [f"# {name}: made by tests/record/record_torch.py with PyTorch {torch.__version__}, "
             f"Python {platform.python_version()}, float64"]
    return "\n".join(lines + [f"{key} {value}".rstrip() for key, value in fields.items()]) + "\n"


def main(folder, *names):
    torch.set_default_dtype(torch.float64)
    for number, (name, case) in enumerate(CASES.items()):
        if names and name not in names:
            continue
        torch.manual_seed(20260101 + number)
        (pathlib.Path(folder) / f"{name}.txt").write_text(record(name, *case))


main(*sys.argv[1:])
