#!/usr/bin/env python3
"""Measures the policies that `train` hands over at a budget in which every trajectory counts.

    .venv/bin/python benchmarks/handed_over.py --seeds 2000               # the table of docs/reach.md
    .venv/bin/python benchmarks/handed_over.py --seeds 32 --rows Swimmer  # of the rows whose names contain Swimmer
    .venv/bin/python benchmarks/handed_over.py --report                   # only the table of what is there

Each run is one of `train` with its preset, a budget, and a seed. The policy that it returns acts with its mean in fresh
episodes. Every run is one line of results/handed-over/ROW.jsonl; what is there is not run again. Rows that end in
"solved" are runs with --until-solved.
"""

import math
import statistics

import resumable

RESULTS = resumable.ROOT / "results" / "handed-over"
FIRST_SEED = 60_001
FRESH_SEEDS = 1_000_000  # added to a run's seed
TASKS = {  # fresh episodes, goal, settings, budgets
    "CartPole": (1000, 190.0, {}, (15, 25, 40, 60, 100, 200, 500)),
    "Swimmer": (5, None, {"env.horizon": 200}, (50, 100, 200, 300, 500)),
    "HalfCheetah": (5, None, {"env.horizon": 100}, (50, 100, 200, 400, 560)),
}


def all_rows():
    rows = {}
    for environment, (episodes, goal, settings, budgets) in TASKS.items():
        task = {"env": environment, "settings": settings, "episodes": episodes, "goal": goal}
        for budget in budgets:
            rows[f"{environment}-{budget}"] = {**task, "budget": budget}
        if goal is not None:
            rows[f"{environment}-{budgets[-1]}-solved"] = {
                **task, "budget": budgets[-1], "settings": {**settings, "train.until_solved": True}}
    return rows


def measured(row, seed):
    run = resumable.package().train(row["env"], budget=row["budget"], settings=row["settings"], seed=seed, threads=1,
                                    progress=False)
    fresh = run.evaluate(row["episodes"], deterministic=True, seed=seed + FRESH_SEEDS, threads=1)
    return {"seed": seed, "trajectories": run.result["trajectories"], "output": run.result["output"],
            "solved": run.result["solved"], "value": float(fresh.returns.mean())}


def quantile(values, share):
    return sorted(values)[math.ceil(share * len(values)) - 1]


def report(options):
    print("| task and budget | seeds | mean | median | worst | goal reached | trajectories, median and 90 % |")
    print("|---|---|---|---|---|---|---|")
    for name, row in options.rows.items():
        runs = resumable.stored(options.results / f"{name}.jsonl")
        if not runs:
            continue
        values = [run["value"] for run in runs]
        margin = 1.96 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf
        reached = "-"
        if row["goal"] is not None:
            count = sum(value >= row["goal"] for value in values)
            reached = f"{count} ({count / len(values):.3f})"
        used = [run["trajectories"] for run in runs]
        print(f"| {name} | {len(runs)} | {statistics.fmean(values):.1f} +- {margin:.1f} | "
              f"{statistics.median(values):.1f} | {min(values):.1f} | {reached} | {statistics.median(used):.0f}, "
              f"{quantile(used, 0.9)} |")


if __name__ == "__main__":
    resumable.main(__doc__, all_rows(), FIRST_SEED, RESULTS, measured, report)
