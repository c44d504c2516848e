"""retropg, run as a program with the one frozen setting of retropg.toml."""

import csv
import os
import pathlib
import subprocess
import tempfile

import result_files

FOLDER = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("RETROPG", str(FOLDER.parents[1] / "build" / "release" / "retropg"))


def command(task, seed, out):
    return [PROGRAM, "train", "--preset", "none", "--config", str(FOLDER / "retropg.toml"), "--env", task.environment,
            "--seed", str(seed), "--budget", str(task.budget), "--threads", "1", "--set", f"env.horizon={task.horizon}",
            "--set", "train.eval_every=1", "--set", f"train.eval_episodes={task.evaluation_episodes}",
            "--out", str(out), "--json"]


def read_evaluations(file):
    with file.open(newline="") as stream:
        return [result_files.Evaluation(int(row["trajectories"]), int(row["steps"]), float(row["mean"]))
                for row in csv.DictReader(stream)]


def evaluations(task, seed):
    """The program spends its whole budget; what a run would have seen until the goal is cut out afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run"
        subprocess.run(command(task, seed, out), check=True, stdout=subprocess.DEVNULL)
        return result_files.until_goal(read_evaluations(out / "evaluations.csv"), task)
