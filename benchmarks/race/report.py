"""The table and the curves of the finished runs."""

import math
import shutil
import sys

import figures
import protocol
import result_files
import summary


def number(value):
    return "never" if math.isinf(value) else str(round(value))


def with_interval(values):
    low, high = map(number, summary.median_interval(values))
    return f"{number(summary.quantile(values, 0.5))} ({low} to {high})"


def goal_table(task, runs):
    lines = [f"| {task.title} to {task.goal:g} | seeds | reached | median | 90 % | steps |",
             "|---|---|---|---|---|---|"]
    for method, finished in runs.items():
        trajectories, steps = zip(*(summary.needed(run, task.goal) for run in finished))
        reached = sum(map(math.isfinite, trajectories))
        lines.append(f"| {method.title} | {len(finished)} | {reached} | {with_interval(trajectories)} | "
                     f"{number(summary.quantile(trajectories, 0.9))} | {number(summary.quantile(steps, 0.5))} |")
    return lines


def marks_table(task, runs):
    lines = [f"| {task.title}, return at | seeds | {' | '.join(map(str, task.marks))} | steps |",
             "|---" * (len(task.marks) + 3) + "|"]
    for method, finished in runs.items():
        cells = [with_interval([summary.last_until(run, mark).mean_return for run in finished]) for mark in task.marks]
        steps = summary.quantile([run[-1].steps for run in finished], 0.5)
        lines.append(f"| {method.title} | {len(finished)} | {' | '.join(cells)} | {number(steps)} |")
    return lines


def table(results):
    """All tables in Markdown; a method without finished runs has no row."""
    lines = []
    for task in protocol.TASKS.values():
        runs = finished_runs(results, task)
        if runs:
            lines += [*(marks_table if task.goal is None else goal_table)(task, runs), ""]
    return "\n".join(lines)


def finished_runs(results, task):
    runs = {method: list(result_files.read_all(results, task, method).values()) for method in protocol.METHODS.values()}
    return {method: finished for method, finished in runs.items() if finished}


def write(results, out):
    text = table(results)
    if not text:
        print(f"race: no finished run in {results}; 'race run' makes some", file=sys.stderr)
        return 1
    out.mkdir(parents=True, exist_ok=True)
    (out / "race.md").write_text(text)
    print(text, end="")
    if not shutil.which("gnuplot"):
        print("race: without gnuplot there are no curves", file=sys.stderr)
        return 1
    for task in protocol.TASKS.values():
        if runs := finished_runs(results, task):
            figures.draw(task, runs, out / f"race-{task.name}.png")
    return 0
