"""One CSV file per run: what evaluations found, and after how many trajectories and steps. A file is there once its run
is finished, and then it is whole."""

import csv
import os
import typing

HEADER = ["trajectories", "steps", "return"]


class Evaluation(typing.NamedTuple):
    trajectories: int
    steps: int
    mean_return: float


def path(results, task, method, seed):
    return results / task.name / method.name / f"{seed}.csv"


def write(file, evaluations):
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".csv.tmp")
    with unfinished.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(evaluations)
    os.replace(unfinished, file)


def read(file):
    with file.open(newline="") as stream:
        rows = list(csv.reader(stream))
    if not rows or rows[0] != HEADER:
        raise SystemExit(f"{file}: the first line is not '{','.join(HEADER)}'; delete the file to run it again")
    return [Evaluation(int(trajectories), int(steps), float(value)) for trajectories, steps, value in rows[1:]]


def read_all(results, task, method):
    """The finished runs, by seed."""
    files = (results / task.name / method.name).glob("*.csv")
    return {int(file.stem): read(file) for file in sorted(files)}


def until_goal(evaluations, task):
    """The evaluations up to the first that reaches the goal, within the budget."""
    kept = []
    for evaluation in evaluations:
        if evaluation.trajectories > task.budget:
            break
        kept.append(evaluation)
        if task.goal is not None and evaluation.mean_return >= task.goal:
            break
    return kept
