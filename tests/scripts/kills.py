"""Kills runs of several algorithms at random moments, resumes them until they end, and compares them with runs that
were never stopped. `script/kill-test` runs it; docs/reliability.md has a recorded result.

RETROPG is the program. Standard library only.
"""

import argparse
import dataclasses
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from program import TIMEOUT, command, environment, run
from run_folders import can_go_on, difference, files_of, for_each, half_written

# Each takes about a second, with so many checkpoints that many kills come while one is written.
RUNS = {"rpg": ("--iterations", 12000, "--set", "checkpoint.every=60"),
        "rpg, network, Half Cheetah": ("--env", "HalfCheetah", "--set", "policy.kind=mlp", "--iterations", 30, "--set",
                                       "checkpoint.every=1"),
        "svrpg, value baseline": ("--algo", "svrpg", "--set", "algo.baseline=value", "--iterations", 3000, "--set",
                                  "checkpoint.every=25"),
        "bpo": ("--algo", "bpo", "--iterations", 2500, "--set", "checkpoint.every=20"),
        "pb-rpg": ("--algo", "pb-rpg", "--iterations", 12000, "--set", "checkpoint.every=80"),
        "pois": ("--algo", "pois", "--iterations", 2500, "--set", "checkpoint.every=20"),
        "miw-pg, window all, steps": ("--algo", "miw-pg", "--window", "all", "--batch", 3, "--set",
                                      "policy.evidence=steps", "--iterations", 700, "--set", "checkpoint.every=5"),
        "rnpg": ("--algo", "rnpg", "--iterations", 6000, "--set", "checkpoint.every=50")}


@dataclasses.dataclass
class Tally:
    name: str
    kills: int = 0
    never_began: int = 0  # killed before the first checkpoint: refused, and started over
    resumes: int = 0
    torn: int = 0  # logs that ended in the middle of a line
    cut: int = 0  # lines of progress.csv after the checkpoint, which go and come again
    finished: int = 0  # runs that came to their end and were compared
    problems: list = dataclasses.field(default_factory=list)


class Chain:
    """One kind of run, killed and resumed again and again."""

    def __init__(self, name, kills, seed, root):
        self.tally = Tally(name)
        self.quota = kills
        self.random = random.Random(f"{seed} {name}")
        self.folder = root / name.replace(", ", "-").replace(" ", "-")
        self.folder.mkdir()
        self.run = self.folder / "r"
        self.arguments = ("train", "--out", "r", "--set", "checkpoint.seconds=0", *map(str, RUNS[name]))

    def start(self, arguments):
        return subprocess.Popen(command(*arguments), cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def live(self, arguments):
        """Starts the program and, unless all kills are used, kills it after a while. Whether it came to its end."""
        process = self.start(arguments)
        if self.tally.kills < self.quota:
            try:
                process.wait(timeout=self.random.uniform(0.0, self.seconds / 4))
            except subprocess.TimeoutExpired:
                process.kill()
        _, stderr = process.communicate(timeout=TIMEOUT)
        if process.returncode == -9:
            self.tally.kills += 1
        elif process.returncode != 0:
            self.tally.problems.append(f"exit {process.returncode}: {stderr}")
        return process.returncode != -9, stderr

    def examine(self):
        """What a kill left."""
        if problem := half_written(self.run, self.expected):
            self.tally.problems.append(problem)
        logs = [path.read_bytes() for path in (self.run / "progress.csv", self.run / "metrics.jsonl") if path.exists()]
        self.tally.torn += sum(log != b"" and not log.endswith(b"\n") for log in logs)
        return logs[0].count(b"\n") - 1 if logs else 0

    def complete(self):
        """Runs once from start to end, however often it is killed."""
        shutil.rmtree(self.run, ignore_errors=True)
        ended, _ = self.live(self.arguments)
        while not ended:
            if not self.run.exists():
                ended, _ = self.live(self.arguments)
                continue
            lines = self.examine()
            if not can_go_on(self.run):
                self.tally.never_began += 1
                refused = run("resume", "r", cwd=self.folder)
                if refused.returncode != 2:
                    self.tally.problems.append(f"exit {refused.returncode} of a run that never began")
                shutil.rmtree(self.run)
                ended, _ = self.live(self.arguments)
                continue
            self.tally.resumes += 1
            ended, stderr = self.live(("resume", "r"))
            going_on = stderr.split(": going on after iteration ")
            if len(going_on) == 2:
                self.tally.cut += max(0, lines - int(going_on[1].split()[0]))
        self.tally.finished += 1
        if problem := difference(self.run, self.expected):
            self.tally.problems.append(problem)

    def all(self):
        begin = time.monotonic()
        reference = self.start(self.arguments)
        _, stderr = reference.communicate(timeout=TIMEOUT)
        self.seconds = time.monotonic() - begin
        if reference.returncode != 0:
            self.tally.problems.append(stderr)
            return self.tally
        self.expected = files_of(self.run)
        while self.tally.kills < self.quota and len(self.tally.problems) < 10:
            self.complete()
        return self.tally


def has_mujoco(folder):
    return json.loads(run("list", "--json", cwd=folder).stdout)["mujoco"] not in ("", None)


def tallies(kills, seed):
    """Results of about so many kills for each kind of run."""
    with tempfile.TemporaryDirectory() as folder:
        names = [name for name in RUNS if "Cheetah" not in name or has_mujoco(folder)]
        share = [kills // len(names) + (number < kills % len(names)) for number in range(len(names))]
        chains = [Chain(name, quota, seed, pathlib.Path(folder)) for name, quota in zip(names, share)]
        return for_each(Chain.all, chains)


def main():
    parser = argparse.ArgumentParser(description="Kills runs at random and checks that nothing is lost.")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="of the choice of moments; the machine adds its own")
    arguments = parser.parse_args()
    results = tallies(arguments.kills, arguments.seed)
    columns = ("kills", "never_began", "resumes", "torn", "cut", "finished")
    print("| run | kills | before the first checkpoint | resumes | torn lines | lines cut | "
          "runs finished | equal |\n|---|---|---|---|---|---|---|---|")
    for tally in results:
        numbers = " | ".join(str(getattr(tally, column)) for column in columns)
        print(f"| {tally.name} | {numbers} | {'no' if tally.problems else 'yes'} |")
    totals = " | ".join(str(sum(getattr(tally, column) for tally in results)) for column in columns)
    problems = [f"{tally.name}: {problem}" for tally in results for problem in tally.problems]
    print(f"| all | {totals} | {'no' if problems else 'yes'} |")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
