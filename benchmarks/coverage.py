#!/usr/bin/env python3
"""Measures whether the returns that runs report hold, and whether the policy they return is no worse than the last.

    .venv/bin/python benchmarks/coverage.py                        # 1000 seeds of every row: about 6 core-hours
    .venv/bin/python benchmarks/coverage.py --seeds 100 --rows LQR # of the rows whose names contain LQR
    .venv/bin/python benchmarks/coverage.py --report               # only the table of what is there

Each run trains with the preset of its row, and its returned policy is measured on fresh episodes: as it explores
(`output_return`), or for nes with its mean (`mean_return`). The last three rows, without a preset, have such large
steps that returns fall again, so that earlier iterates are returned. Every run is one line of
results/coverage/ROW.jsonl; what is there is not run again, so it can be stopped at any time. Needs NumPy and the Python
package, in build/release/python or installed.

Columns: seeds; share of the intervals that hold the return of the fresh episodes; how many runs returned an earlier
iterate or an elite, and the share of theirs; mean width; the same divided by that of an oracle's, which knows the
standard deviation of the policy's returns and has as many trajectories in effect; return of the returned policy minus
that of the last iterate with a 95 % interval over runs. "Fails" names what does not hold:

    covers     fewer than 92 % are covered
    wide       more than 98 % are covered and the width is more than 1.5 times the oracle's, 3 times with batches of 2
               and 3; not judged where half of the fresh episodes are at a bound or do not vary at all
    chosen     100 or more runs returned an earlier iterate or an elite, and fewer than 90 % of these are covered
    worse      the interval of returned minus last is below 0
"""

import math
import statistics

import resumable

RESULTS = resumable.ROOT / "results" / "coverage"
CONFIRMING_EPISODES = "train.confirm"  # the setting
FRESH_EPISODES = {"LQR": 5000, "Bandit": 20_000, "CartPole": 2000, "CartPole-v1": 1000, "Reacher": 1000,
                  "InvertedDoublePendulum": 1000}
CAPS = {"CartPole": 200.0, "CartPole-v1": 500.0}  # of returns, which many reach
FIRST_SEED = 80_001
FRESH_SEEDS = 1_000_000  # added to a run's seed


def all_rows():
    """Arguments of train by name, in the order of the table."""
    rows = {}
    for environment in FRESH_EPISODES:
        for budget in (30, 100, 1000):
            for algorithm in ("rpg", "gpomdp"):
                for batch in (2, 3, 10):
                    rows[f"{environment}-{algorithm}-{batch}-{budget}"] = {
                        "env": environment, "algo": algorithm, "batch": batch, "budget": budget}
        for budget, confirming in ((30, 5), (100, 20)):
            rows[f"{environment}-nes-confirm-{confirming}-{budget}"] = {
                "env": environment, "algo": "nes", "budget": budget, "settings": {CONFIRMING_EPISODES: confirming}}
    for algorithm, batch, rate in (("rpg", 4, 0.3), ("rpg", 10, 0.1), ("gpomdp", 10, 0.1)):
        rows[f"CartPole-{algorithm}-{batch}-2000-falling"] = {
            "env": "CartPole", "algo": algorithm, "batch": batch, "budget": 2000, "preset": "none",
            "settings": {"optimizer.rate": rate}}
    return rows


def confirms(row):
    """Whether the run ends with episodes of its returned policy's mean."""
    return CONFIRMING_EPISODES in row.get("settings", {})


def measured(row, seed):
    """One run and its truth, as a dictionary of numbers."""
    environment = row["env"]
    run = resumable.package().train(**row, seed=seed, threads=1, progress=False)
    reported = run.result["mean_return" if confirms(row) else "output_return"] or {}

    def fresh(policy):
        return run.evaluate(FRESH_EPISODES[environment], deterministic=confirms(row), seed=seed + FRESH_SEEDS,
                            policy=policy, threads=1).returns

    returns = fresh("returned")
    output = run.result["output"]
    return {"seed": seed, "output": output, **{key: reported.get(key) for key in ("mean", "low", "high", "effective")},
            "truth": float(returns.mean()), "deviation": float(returns.std()),
            "last": float(returns.mean() if output == "last" else fresh("final").mean()),
            "at_cap": float((returns == CAPS.get(environment)).mean())}


def covered(run):
    rounding = 1e-9 * max(1.0, abs(run["truth"]))
    low = -math.inf if run["low"] is None else run["low"] - rounding
    high = math.inf if run["high"] is None else run["high"] + rounding
    return low <= run["truth"] <= high


def steady(run):
    """Whether the policy's returns hardly vary, or most of them are as high as they can be."""
    return run["deviation"] <= 1e-12 * max(1.0, abs(run["truth"])) or run["at_cap"] > 0.5


def width_and_oracle(runs):
    known = [run for run in runs if run["low"] is not None and run["high"] is not None]
    if not known:
        return math.nan, math.nan
    width = statistics.fmean(run["high"] - run["low"] for run in known)
    oracle = statistics.fmean(2.0 * 1.96 * run["deviation"] / math.sqrt(run["effective"]) for run in known)
    return width, width / oracle if oracle > 1e-12 else math.nan


def summary(row, runs):
    """The numbers of a row of the table, and what fails."""
    holds = [covered(run) for run in runs]
    chosen = [hold for run, hold in zip(runs, holds) if run["output"] != "last"]
    width, ratio = width_and_oracle(runs)
    gains = [run["truth"] - run["last"] for run in runs]
    margin = 1.96 * statistics.stdev(gains) / math.sqrt(len(gains)) if len(gains) > 1 else math.inf
    gain = statistics.fmean(gains)
    share = statistics.fmean(holds)
    fails = []
    if share < 0.92:
        fails.append("covers")
    limit = 3.0 if row.get("batch") in (2, 3) else 1.5
    if share > 0.98 and not ratio <= limit and statistics.fmean(map(steady, runs)) < 0.5:
        fails.append("wide")
    if len(chosen) >= 100 and statistics.fmean(chosen) < 0.9:
        fails.append("chosen")
    if gain + margin < 0.0:
        fails.append("worse")
    return {"holds": holds, "share": share, "chosen": chosen, "width": width, "ratio": ratio, "gain": gain,
            "margin": margin, "fails": fails}


def report(options):
    print("| row | seeds | covered | earlier | covered then | width | / oracle | returned - last | fails |")
    print("|---|---|---|---|---|---|---|---|---|")
    holds, failed, shares = [], 0, []
    for name, row in options.rows.items():
        runs = resumable.stored(options.results / f"{name}.jsonl")
        if not runs:
            continue
        numbers = summary(row, runs)
        holds += numbers["holds"]
        shares.append(numbers["share"])
        failed += bool(numbers["fails"])
        chosen = numbers["chosen"]
        then = f"{100 * statistics.fmean(chosen):.1f}" if chosen else "-"
        print(f"| {name} | {len(runs)} | {100 * numbers['share']:.1f} | {len(chosen)} | {then} | "
              f"{numbers['width']:.3g} | {numbers['ratio']:.2f} | {numbers['gain']:.2g} +- {numbers['margin']:.2g} | "
              f"{', '.join(numbers['fails']) or '-'} |")
    if not holds:
        raise SystemExit("nothing was run yet: leave out --report")
    print(f"\n{len(shares)} rows, {failed} of which fail; {100 * statistics.fmean(shares):.1f} % covered in the mean "
          f"of the rows, {100 * statistics.fmean(holds):.1f} % of all {len(holds)} runs")


if __name__ == "__main__":
    resumable.main(__doc__, all_rows(), FIRST_SEED, RESULTS, measured, report)
