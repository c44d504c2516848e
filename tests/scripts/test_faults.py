"""Kills, errors and short writes at every call that touches the disk: a run goes on as if nothing had been.

RETROPG is the program, RETROPG_FAULT_SHIM the library that makes calls fail; with FAULTS=all, also points that are
equal to others. Standard library only.
"""

import itertools
import os
import pathlib
import shutil
import sys
import unittest

from run_folders import (SHIM, can_go_on, difference, files_of, for_each, half_written, memory_folder, messages,
                         points_of, start, start_with_fault)

ALL = os.environ.get("FAULTS") == "all"
COMMON = ("--out", "r", "--threads", 1, "--set", "checkpoint.every=10", "--set", "checkpoint.seconds=0")
RUNS = {"rpg": ("--iterations", 40, "--batch", 5),
        "rpg with every step of every batch": ("--iterations", 40, "--batch", 2, "--window", "all", "--set",
                                               "policy.evidence=steps"),
        "svrpg with a value baseline": ("--iterations", 40, "--batch", 5, "--algo", "svrpg", "--set",
                                        "algo.baseline=value", "--set", "train.output=random"),
        "pb-rpg with evaluations": ("--iterations", 40, "--batch", 5, "--algo", "pb-rpg", "--set", "train.eval_every=7",
                                    "--set", "train.eval_episodes=2")}
RESUME = ("resume", "r")


@unittest.skipUnless(SHIM, "a library cannot be preloaded into a program with sanitizers")
class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = memory_folder()
        cls.addClassCleanup(temporary.cleanup)
        cls.root = pathlib.Path(temporary.name)
        cls.numbers = itertools.count()
        cls.arguments = {name: ("train", *COMMON, *extra) for name, extra in RUNS.items()}
        cls.expected, cls.points = {}, {}
        for name, arguments in cls.arguments.items():
            folder = cls.new_folder()
            cls.points[name] = points_of(folder, arguments)
            cls.expected[name] = files_of(folder / "r")

    @classmethod
    def new_folder(cls, like=None):
        folder = cls.root / str(next(cls.numbers))
        shutil.copytree(like, folder) if like else folder.mkdir()
        return folder

    def check_each(self, what, check, cases):
        """Runs check(case), which returns a problem or nothing, for each case."""
        cases = list(cases)
        print(f"{what}: {len(cases)} cases", file=sys.stderr)
        problems = [f"{case}: {problem}" for case, problem in zip(cases, for_each(check, cases)) if problem]
        self.assertGreater(len(cases), 100)
        if problems:
            self.fail(f"{what}, {len(problems)} of {len(cases)} cases:\n" + "\n".join(problems[:20]))

    @staticmethod
    def kills(points):
        """A kill before a call leaves what a kill after the call before it does; a write can also be cut."""
        for call, number in points:
            yield (call, number), "kill-after"
            if call == "write":
                yield (call, number), "kill-torn"
            if ALL:
                yield (call, number), "kill-before"

    @staticmethod
    def diagnosis(folder, point):
        """What is left over between two removals is no damage."""
        if point[0] != "unlink" or not can_go_on(folder / "r"):
            return ""
        result = start(folder, "doctor", "r")
        return "" if result.returncode == 0 else f"doctor: {result.stdout}"

    def after_the_kill(self, folder, expected, resume=RESUME):
        run = folder / "r"
        if problem := half_written(run, expected):
            return f"after the kill, {problem}"
        before = files_of(run, free=set())
        result = start(folder, *resume)
        if can_go_on(run):
            if result.returncode != 0:
                return f"resume: {result.returncode} {result.stderr}"
            if left := [name for name in files_of(run, free=set()) if name.endswith(".tmp")]:
                return f"left over: {left}"
            return difference(run, expected)
        if result.returncode != 2 or len(result.stderr.splitlines()) != 1:
            return f"resume of a run that never began: {result.returncode} {result.stderr}"
        return "" if files_of(run, free=set()) == before else "a refused resume changed the folder"

    def test_a_killed_run_goes_on(self):
        def check(case):
            name, point, action = case
            folder = self.new_folder()
            result = start_with_fault(folder, self.arguments[name], point, action)
            problem = "was not killed" if result.returncode != -9 else ""
            if not problem and (folder / "r").exists():
                problem = self.diagnosis(folder, point) or self.after_the_kill(folder, self.expected[name])
            shutil.rmtree(folder)
            return problem

        self.check_each("kills of a run", check,
                        ((name, *kill) for name in RUNS for kill in self.kills(self.points[name])))

    def interrupted(self, name):
        """A run that was killed in the middle, in the middle of a line."""
        folder = self.new_folder()
        writes = max(number for call, number in self.points[name] if call == "write")
        for number in range(writes // 3, writes):
            shutil.rmtree(folder / "r", ignore_errors=True)
            start_with_fault(folder, self.arguments[name], ("write", number), "kill-torn")
            log = (folder / "r" / "progress.csv").read_bytes()
            if log and not log.endswith(b"\n") and (folder / "r" / "checkpoints" / "10.safetensors").exists():
                return folder
        raise AssertionError("no line was torn")

    def resumed(self, name):
        """A run that was killed in the middle, what resuming it does, and what comes of it."""
        begin = self.interrupted(name)
        folder = self.new_folder(begin)
        points = points_of(folder, RESUME)
        self.assertEqual(difference(folder / "r", self.expected[name]), "")
        return begin, points

    def test_a_killed_resume_goes_on(self):
        begin = {name: self.resumed(name) for name in RUNS}

        def check(case):
            name, point, action = case
            folder = self.new_folder(begin[name][0])
            result = start_with_fault(folder, RESUME, point, action)
            problem = ("was not killed" if result.returncode != -9 else
                       self.after_the_kill(folder, self.expected[name]))
            shutil.rmtree(folder)
            return problem

        self.check_each("kills of a resume", check,
                        ((name, *kill) for name in RUNS for kill in self.kills(begin[name][1])))

    def test_a_killed_extension_goes_on(self):
        # The last batch of the first run is cut by its budget, so the longer run begins before it.
        common = ("train", *COMMON, "--batch", 5, "--window", 3)
        short, longer = self.new_folder(), self.new_folder()
        self.assertEqual(start(short, *common, "--budget", 133).returncode, 0)
        self.assertEqual(start(longer, *common, "--budget", 212).returncode, 0)
        expected = files_of(longer / "r")
        expected["command.txt"] = (short / "r" / "command.txt").read_bytes()
        resume = (*RESUME, "--budget", 212)
        points = points_of(self.new_folder(short), resume)

        def check(case):
            folder = self.new_folder(short)
            result = start_with_fault(folder, resume, *case)
            problem = "was not killed" if result.returncode != -9 else ""
            if not problem and start(folder, *resume).returncode != 0:
                problem = "cannot be resumed"
            problem = problem or difference(folder / "r", expected)
            shutil.rmtree(folder)
            return problem

        self.check_each("kills of an extension", check, self.kills(points))

    @staticmethod
    def errors(points):
        for call, number in points:
            for action in ("ENOSPC", "EIO", "EDQUOT", "EINTR", "full", *(["short"] if call == "write" else [])):
                # The program does not distinguish the errors but for EINTR; all of them at some points is enough.
                if ALL or action not in ("ENOSPC", "EDQUOT") or number % 4 == 0:
                    yield (call, number), action

    def after_the_error(self, folder, result, action, arguments, expected):
        run = folder / "r"
        invisible = action in ("EINTR", "short")
        if result.returncode == 0:
            if invisible and messages(result):
                return f"should be invisible: {result.stderr}"
            return difference(run, expected)
        if result.returncode not in (1, 2) or invisible:
            return f"{result.returncode} {result.stderr}"
        if not 1 <= len(messages(result)) <= 2 or not result.stderr.splitlines()[-1].startswith("retropg: "):
            return f"not one error and at most one warning: {result.stderr}"
        if not run.exists():
            return "" if start(folder, *arguments).returncode == 0 else "cannot be started again"
        if problem := half_written(run, expected):
            return f"after the error, {problem}"
        if not can_go_on(run):
            return f"left a folder that is of no use: {sorted(files_of(run, free=set()))}; {result.stderr}"
        if result.returncode != 1:
            return f"{result.returncode} {result.stderr}"
        policies = {name for name in expected if name.startswith("policy/")}
        trained = (run / "progress.csv").read_bytes().count(b"\n") > 30
        if action != "full" and trained and not policies <= files_of(run).keys():
            return f"an error that passed cost a policy: {result.stderr}"
        again = start(folder, *RESUME)
        return difference(run, expected) if again.returncode == 0 else f"resume: {again.returncode} {again.stderr}"

    def test_an_error_costs_nothing(self):
        def check(case):
            name, point, action = case
            folder = self.new_folder()
            result = start_with_fault(folder, self.arguments[name], point, action)
            problem = self.after_the_error(folder, result, action, self.arguments[name], self.expected[name])
            shutil.rmtree(folder)
            return problem

        self.check_each("errors in a run", check,
                        ((name, *error) for name in RUNS for error in self.errors(self.points[name])))

    def test_an_error_in_a_resume_costs_nothing(self):
        names = RUNS if ALL else ["rpg with every step of every batch"]
        begin = {name: self.resumed(name) for name in names}

        def check(case):
            name, point, action = case
            folder = self.new_folder(begin[name][0])
            result = start_with_fault(folder, RESUME, point, action)
            if result.returncode == 2:  # it could not read something
                result.returncode = 1
            problem = self.after_the_error(folder, result, action, RESUME, self.expected[name])
            shutil.rmtree(folder)
            return problem

        self.check_each("errors in a resume", check,
                        ((name, *error) for name in names for error in self.errors(begin[name][1])))


if __name__ == "__main__":
    unittest.main(verbosity=1)
