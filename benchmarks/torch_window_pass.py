"""BM_WindowPass in PyTorch: what one iteration computes from the stored window of a network policy.

    apt-get install --no-install-recommends python3-torch
    /usr/bin/python3 benchmarks/torch_window_pass.py [results/benchmark.json]

32,000 steps (320 trajectories of 100) of a 17-32-32-6 tanh network without biases, float64, one thread: log-ratios and
distances of the trajectories, and the gradient of the credited log-densities by autograd, in one forward and one
backward pass. Prints the minimum and the median time and, given a benchmark report from the same machine, how many
times as fast BM_WindowPass is. Debian's PyTorch uses the system's BLAS (update-alternatives
--display libblas.so.3-x86_64-linux-gnu); it is fastest with libopenblas0-pthread.
"""

import json
import statistics
import sys
import time

import torch

TRAJECTORIES, LENGTH, SIZES, VARIANCE, REPETITIONS = 320, 100, (17, 32, 32, 6), 0.1, 30


def network():
    layers = []
    for i in range(len(SIZES) - 1):
        layers.append(torch.nn.Linear(SIZES[i], SIZES[i + 1], bias=False))
        torch.nn.init.xavier_uniform_(layers[-1].weight)
        if i + 2 < len(SIZES):
            layers.append(torch.nn.Tanh())
    return torch.nn.Sequential(*layers)


def window():
    """Steps sampled from a behavior policy, and a network with slightly different parameters."""
    steps = TRAJECTORIES * LENGTH
    model = network()
    observations = torch.randn(steps, SIZES[0])
    with torch.no_grad():
        behavior = model(observations)
        for parameter in model.parameters():
            parameter += 0.05 * torch.randn_like(parameter)
    actions = behavior + VARIANCE ** 0.5 * torch.randn_like(behavior)
    rewards = torch.randn(TRAJECTORIES, LENGTH)
    credits = rewards.flip(1).cumsum(1).flip(1).reshape(-1)
    return model, observations, actions, behavior, credits / TRAJECTORIES


def window_pass(model, observations, actions, behavior, factors):
    model.zero_grad()
    mean = model(observations)
    # log rho = sum (mu - mu_b)(a - (mu + mu_b) / 2) / sigma^2; its gradient is that of the log-density.
    shift = mean - behavior
    ratios = (shift * (actions - 0.5 * (mean + behavior))).sum(1) / VARIANCE
    (factors * ratios).sum().backward()
    with torch.no_grad():
        log_ratio = ratios.reshape(TRAJECTORIES, LENGTH).sum(1)
        distance = shift.square().sum(1).reshape(TRAJECTORIES, LENGTH).sum(1) / VARIANCE
    return log_ratio, distance, [parameter.grad for parameter in model.parameters()]


def ours(path):
    """Milliseconds of BM_WindowPass on one thread."""
    with open(path) as file:
        entries = json.load(file)["benchmarks"]
    factor = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
    times = [entry["real_time"] * factor[entry["time_unit"]] for entry in entries
             if entry["name"] == "BM_WindowPass/threads:1/real_time" and entry.get("run_type") == "iteration"]
    if not times:
        sys.exit(f"{path}: has no BM_WindowPass/threads:1")
    return times


def main(arguments):
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    torch.manual_seed(1)
    data = window()
    times = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        log_ratio, distance, gradient = window_pass(*data)
        times.append(1e3 * (time.perf_counter() - start))
    if not all(torch.isfinite(numbers).all() for numbers in (log_ratio, distance, *gradient)):
        sys.exit("the results are not finite")
    least, median = min(times), statistics.median(times)
    print(f"PyTorch {torch.__version__}, one thread: minimum {least:.1f} ms, median {median:.1f} ms of {REPETITIONS} repetitions")
    if arguments:
        mine = ours(arguments[0])
        print(f"BM_WindowPass, one thread: minimum {min(mine):.1f} ms, median {statistics.median(mine):.1f} ms: "
              f"{least / min(mine):.1f} and {median / statistics.median(mine):.1f} times as fast, at least 5")


main(sys.argv[1:])
