#!/usr/bin/python3
"""Trains on every environment with presets alone, and says by how much the end is above the start.

    benchmarks/defaults.py                                # every environment: train --env X with nothing else
    benchmarks/defaults.py --algos rpg,gpomdp             # the presets of these algorithms
    benchmarks/defaults.py --algos rpg --rate-factor 10 --environments Swimmer-v4

The start is the mean return of the first ten trajectories, or of the first batch if it is larger. The end is the
returned policy on the episodes of `train.confirm` if there are any, else the mean of the last tenth of the
iterations. "At rest" is the policy whose parameters are all 0, on 100 episodes: a gain up to there may come from
drawing less noise alone. Prints a Markdown table: means over seeds, the 95 % t-interval of the difference, and the
seeds whose end is above their start. By chance alone, that would be all of ten seeds once in a thousand times; it says
more than the interval where starts differ by orders of magnitude. With nine or more of ten, the median difference is
above 0 (97.9 % confidence, from order statistics).
"""

import argparse
import concurrent.futures
import csv
import functools
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

PROGRAM = os.environ.get("RETROPG", str(pathlib.Path(__file__).resolve().parents[1] / "build" / "release" / "retropg"))
T_QUANTILES = {4: 2.776, 9: 2.262, 19: 2.093, 29: 2.045}  # of 97.5 %, by degrees of freedom


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--algos", default="", help="names with commas between them (default: train's own choice)")
    parser.add_argument("--environments", help="names with commas between them (default: all of `retropg list`)")
    parser.add_argument("--rate-factor", type=float, default=1.0, help="multiplies the preset's optimizer.rate")
    parser.add_argument("--seeds", type=int, choices=[n + 1 for n in T_QUANTILES], default=10)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    chosen = parser.parse_args()
    if chosen.rate_factor != 1.0 and not chosen.algos:
        parser.error("--rate-factor needs --algos")
    return chosen


def settled(command):
    result = subprocess.run([PROGRAM, *command], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(result.stderr.strip())
    return result.stdout


@functools.cache
def environments():
    return json.loads(settled(["list", "--json"]))["environments"]


@functools.cache
def at_rest(environment):
    """The return of the policy whose parameters are all 0; for discrete actions there is none."""
    if any(environment in [entry["name"], *entry["aliases"]] and entry["discrete"] for entry in environments()):
        return "-"
    with tempfile.TemporaryDirectory() as folder:
        out = str(pathlib.Path(folder) / "run")
        settled(["train", "--env", environment, "--algo", "gpomdp", "--preset", "none", "--iterations", "1", "--batch",
                 "2", "--set", "optimizer.rate=1e-12", "--threads", "1", "--out", out])
        evaluated = json.loads(settled(["eval", out, "--policy", "final", "--episodes", "100", "--json"]))
    return f"{evaluated['deterministic']['mean']:.4g}"


def preset_rate(environment, algorithm):
    """The preset's rate, read from the configuration of a run of one batch."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run"
        settled(["train", "--env", environment, "--algo", algorithm, "--iterations", "1", "--out", str(out)])
        lines = (out / "config.toml").read_text().splitlines()
    return next(float(line.split("=")[1]) for line in lines if line.startswith("rate ="))


def ends(environment, algorithm, seed, settings):
    """(start, end) of one run."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run"
        choice = ["--algo", algorithm] if algorithm else []
        settled(["train", "--env", environment, *choice, "--seed", str(seed), "--threads", "1", "--out", str(out),
                 *settings])
        with (out / "progress.csv").open(newline="") as stream:
            records = [(int(line["trajectories"]), float(line["return_mean"])) for line in csv.DictReader(stream)]
        returns = [value for _, value in records]
        start = statistics.fmean([value for count, value in records if count <= 10] or returns[:1])
        returned = json.loads((out / "result.json").read_text())["mean_return"]
    return start, returned["mean"] if returned else statistics.fmean(returns[-max(1, len(returns) // 10):])


def row(pool, environment, algorithm, options):
    settings = []
    if options.rate_factor != 1.0:
        settings = ["--set", f"optimizer.rate={options.rate_factor * preset_rate(environment, algorithm)!r}"]
    pairs = list(pool.map(lambda seed: ends(environment, algorithm, seed, settings), range(1, options.seeds + 1)))
    gains = [end - start for start, end in pairs]
    margin = T_QUANTILES[options.seeds - 1] * statistics.stdev(gains) / options.seeds ** 0.5
    first, last = (statistics.fmean(column) for column in zip(*pairs))
    gain = statistics.fmean(gains)
    interval = f"{gain - margin:.4g} to {gain + margin:.4g}"
    higher = sum(gain > 0.0 for gain in gains)
    return (f"| {environment} | {algorithm or 'default'} | {at_rest(environment)} | {first:.4g} | {last:.4g} | "
            f"{interval} | {higher} of {len(gains)} |")


def main():
    options = arguments()
    names = options.environments.split(",") if options.environments else [entry["name"] for entry in environments()]
    print("| environment | algorithm | at rest | start | end | difference (95 %) | end above start |")
    print("|---|---|---|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for algorithm in options.algos.split(","):
            for environment in names:
                print(row(pool, environment, algorithm, options), flush=True)


if __name__ == "__main__":
    main()
