"""Prints ratios between benchmarks of one run, which vary much less between machines than times do."""

import json
import sys


def print_cart_pole(cost, busy):
    scalar = cost["BM_ScalarLoop/policy:1"]
    kernel = cost["BM_Collect/policy:1/batch:64"]
    print(f"scalar loop: {scalar:.1f} ns per step (trained policy), {cost['BM_ScalarLoop/policy:0']:.1f} (theta = 0)")
    print(f"{'':34} {'ns/step':>8} {'of scalar':>10}")
    for policy, text in ((1, "trained"), (0, "theta = 0")):
        base = cost[f"BM_ScalarLoop/policy:{policy}"]
        for batch in (4, 8, 16, 32, 64, 128, 256):
            value = cost[f"BM_Collect/policy:{policy}/batch:{batch}"]
            print(f"collect, {text:>9}, batch {batch:>3}          {value:>8.2f} {value / base:>10.3f}")
    name = "BM_WholeRun/metrics:1/process_time/real_time"
    print(f"whole run, N = 4, omega = 8        {cost[name]:>8.2f} {cost[name] / scalar:>10.3f}   at most 0.7")
    print(f"the same, time of the processor    {busy[name]:>8.2f} {busy[name] / scalar:>10.3f}   at most 0.7")
    table = cost.get("BM_Table2/runs:10/iterations:1/real_time")
    if table:
        print(f"reproduce table2, two threads      {table:>8.2f}            {table / (kernel / 2):.3f} of its steps in the kernel, at most 1.3")


def print_limited_run(busy):
    """A run on Cart Pole whose steps are measured but none is too long, compared with one that does not measure."""
    off, on = (busy.get(f"BM_LimitedRun/trust:{trust}/process_time/real_time") for trust in (0, 1000000000))
    if off and on:
        print(f"with a limit on the step           {on:>8.2f}            {on / off:.3f} of the run without, at most 1.02 "
              "(time of the processor)")


def print_large_batch(cost):
    """One trainer on two threads, compared with two trainers side by side on one thread each."""
    for policy, text in ((1, "trained"), (0, "theta = 0")):
        one, two = (cost.get(f"BM_LargeBatch/policy:{policy}/threads:{threads}/real_time") for threads in (1, 2))
        side = cost.get(f"BM_LargeBatchSideBySide/policy:{policy}/real_time/threads:2")
        if one and two and side:
            print(f"N = 16384, {text:>9}, two threads  {two:>8.2f}            {side / two:.3f} of the throughput of two runs "
                  f"side by side, at least 0.95; {one / two:.2f} times as fast as one thread")


def print_window_pass(cost):
    """The pass over a stored window of a network: 32,000 steps, log-ratios, distances and gradient."""
    eigen = cost.get("BM_WindowPassEigen/real_time")
    one, two = (cost.get(f"BM_WindowPass/threads:{threads}/real_time") for threads in (1, 2))
    if one and eigen:
        print(f"window pass of a network           {one:>8.1f}            {one / eigen:.3f} of the pass with Eigen "
              f"({eigen:.1f} ns), at most 0.85")
    if one and two:
        print(f"window pass, two threads           {two:>8.1f}            {one / two:.2f} times as fast, at least 1.8")


def print_writing(cost):
    """What a run folder costs: metrics.jsonl, and checkpoints 120 times as often as by default."""
    with_metrics, without = (cost.get(f"BM_WholeRun/metrics:{every}/process_time/real_time") for every in (1, 0))
    if with_metrics and without:
        print(f"whole run with metrics.jsonl       {with_metrics:>8.2f}            {with_metrics / without:.3f} of that without")
    for run in ("cart_pole", "half_cheetah"):
        often, never = (cost.get(f"BM_Checkpoints/{run}/ms:{ms}/real_time") for ms in (500, 0))
        if often and never:
            print(f"{run} with a checkpoint every 0.5 s  {often / never:.3f} of that without; "
                  f"at the default {1 + (often / never - 1) / 120:.5f}, at most 1.01")


def print_methods(cost):
    """A run of each algorithm on Cart Pole with step size 0, which pois and p-pois ignore."""
    methods = {name.removeprefix("BM_Method/"): value for name, value in cost.items() if name.startswith("BM_Method/")}
    for name, value in sorted(methods.items(), key=lambda item: item[1]):
        print(f"run of {name:<11}                  {value:>8.1f}            {value / methods['gpomdp']:.2f} of gpomdp")


def main(path):
    with open(path) as file:
        report = json.load(file)
    per_item, processor = {}, {}
    for entry in report["benchmarks"]:
        if entry.get("error_occurred"):
            sys.exit(f"{entry['name']}: {entry['error_message']}")
        if entry.get("run_type") == "iteration":
            value = 1e9 / entry["items_per_second"]
            per_item.setdefault(entry["name"], []).append(value)
            processor.setdefault(entry["name"], []).append(value * entry["cpu_time"] / entry["real_time"])
    cost, busy = ({name: sorted(values)[len(values) // 2] for name, values in times.items()}
                  for times in (per_item, processor))
    counters = {entry["name"]: entry for entry in report["benchmarks"]}

    if "BM_ScalarLoop/policy:1" in cost:
        print_cart_pole(cost, busy)
    print_limited_run(busy)
    print_large_batch(cost)
    print_window_pass(cost)
    print_writing(cost)
    print_methods(cost)
    for task, text, most in ((0, "Half Cheetah", 1.15), (1, "Swimmer", 1.10)):
        bare = cost.get(f"BM_BarePhysics/task:{task}/real_time")
        if bare:
            one, two = (cost[f"BM_Iteration/task:{task}/threads:{threads}/real_time"] for threads in (1, 2))
            print(f"{text}: an iteration takes {one / bare:.3f} of its bare physics ({bare / 1e3:.1f} us per step), at most {most}; "
                  f"two threads {one / two:.2f} times as fast, at least 1.85")
    for name, entry in counters.items():
        if name.startswith("BM_FullReuse"):
            print(f"{name}: {entry['real_time']:.1f} {entry['time_unit']} per iteration, {entry['bytes'] / 1e6:.0f} MB")


main(sys.argv[1])
