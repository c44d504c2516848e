"""A resumed run is the run that was never stopped; one that cannot be continued exactly is refused and left as it is.

RETROPG is the program. Standard library only.
"""

import json
import random
import re
import shutil
import unittest

from program import PROGRAM, SOURCE, ProgramTest, network_of, run
from run_folders import difference, files_of, for_each, half_written, memory_folder, messages, start


def checkpoints(run):
    return sorted((run / "checkpoints").glob("*.safetensors"), key=lambda path: -int(path.name.split(".")[0]))


def stop_before_the_last_checkpoint(run):
    """As if the run had been killed after its last line, but before its policies and its last checkpoint."""
    checkpoints(run)[0].unlink()
    shutil.rmtree(run / "policy")
    (run / "status").write_text("running\n")


class ResumeTest(ProgramTest):
    def setUp(self):
        temporary = memory_folder()
        self.addCleanup(temporary.cleanup)
        self.folder = type(SOURCE)(temporary.name)

    def unfinished(self, *arguments, every=4):
        """A run that stopped, and what it should become."""
        self.succeed("train", "--out", "r", "--set", f"checkpoint.every={every}", "--set", "checkpoint.seconds=0",
                     "--threads", 1, *arguments)
        expected = files_of(self.folder / "r")
        stop_before_the_last_checkpoint(self.folder / "r")
        return expected

    def resume(self, *arguments, run="r"):
        return start(self.folder, "resume", run, *arguments)

    def check_refused(self, *words, arguments=(), run="r"):
        before = files_of(self.folder / run, free=set())
        result = self.resume(*arguments, run=run)
        self.assertEqual(result.returncode, 2, result.stderr)
        for word in words:
            self.assertIn(word, messages(result)[-1])
        self.assertEqual(files_of(self.folder / run, free=set()), before, "a refused run was changed")


class OtherThreadsAndLanes(ResumeTest):
    """Every algorithm, environment, policy and baseline; checkpoints in the middle, then other threads and lanes."""

    def check_kinds(self, kinds):
        def check(kind):
            number, arguments = kind
            folder = self.folder / str(number)
            folder.mkdir()
            result = start(folder, "train", "--out", "r", "--threads", 1, "--set", "checkpoint.every=3", "--set",
                           "checkpoint.seconds=0", *arguments)
            if result.returncode != 0:
                return f"{arguments}: {result.stderr}"
            expected = files_of(folder / "r")
            stop_before_the_last_checkpoint(folder / "r")
            result = start(folder, "resume", "r", "--threads", 3, "--lanes", 8)
            if result.returncode != 0:
                return f"{arguments}: {result.stderr}"
            if ": going on after iteration 3" not in result.stderr:
                return f"{arguments}: did not go on in the middle: {result.stderr}"
            problem = difference(folder / "r", expected)
            return f"{arguments}: {problem}" if problem else ""

        kinds = list(kinds)
        problems = [problem for problem in for_each(check, enumerate(kinds)) if problem]
        self.assertEqual(problems, [])
        return len(kinds)

    def listed(self, what):
        return json.loads(run("list", "--json", cwd=self.folder).stdout)[what]

    def test_algorithms(self):
        names = [entry["name"] for entry in self.listed("algorithms")]
        self.assertGreaterEqual(len(names), 20)
        self.check_kinds(("--algo", name, "--batch", 7, "--iterations", 5, *extra) for name in names
                         for extra in ((), ("--set", "policy.kind=mlp")))

    def test_environments(self):
        self.check_kinds(("--env", entry["name"], "--batch", 3, "--iterations", 4, "--window", 3, *extra)
                         for entry in self.listed("environments")
                         for extra in ((), ("--set", f"policy.kind={network_of(entry)}", "--set", "policy.hidden=[4]")))

    def test_baselines(self):
        row = re.search(r"^\| `algo.baseline` \| ([^|]*) \|", (SOURCE / "docs" / "configuration.md").read_text(),
                        re.MULTILINE)
        names = re.findall(r'"([^"]+)"', row.group(1))
        self.assertGreaterEqual(len(names), 7)
        self.check_kinds(("--algo", algorithm, "--batch", 6, "--iterations", 5, "--set", f"algo.baseline={name}",
                          *extra) for name in names for algorithm in ("rpg", "svrpg", "gpomdp")
                         for extra in ((), ("--set", "policy.kind=mlp", "--set", "policy.hidden=[4]")))

    def test_settings(self):
        self.check_kinds(("--batch", 5, "--iterations", 5, *(word for setting in settings
                                                             for word in ("--set", setting)))
                         for settings in (["policy.evidence=steps"], ["policy.evidence=moments"], ["policy.bias=true"],
                                          ["train.output=random"], ["train.output=last"], ["algo.window=all"],
                                          ["log.metrics=0"], ["log.metrics=2"], ["train.eval_every=2"],
                                          ["train.eval_every=2", "log.monitor=false"], ["log.tensorboard=false"],
                                          ["optimizer.kind=constant"]))


class Damage(ResumeTest):
    RUN = ("--iterations", 12, "--batch", 3, "--window", "all")

    def test_a_damaged_checkpoint_is_replaced_by_the_one_before(self):
        self.succeed("train", "--out", "r", "--set", "checkpoint.every=4", "--threads", 1, *self.RUN)
        expected = files_of(self.folder / "r")
        newest = checkpoints(self.folder / "r")[0]
        size = newest.stat().st_size
        random_numbers = random.Random(1)
        flips = [(position, 1 << random_numbers.randrange(8))
                 for position in [*range(16), size - 1, *random_numbers.sample(range(16, size - 1), 150)]]

        def check(flip):
            position, bit = flip
            folder = self.folder / f"{position}"
            shutil.copytree(self.folder / "r", folder / "r")
            data = bytearray(newest.read_bytes())
            data[position] ^= bit
            (folder / "r" / "checkpoints" / newest.name).write_bytes(data)
            result = start(folder, "resume", "r")
            if result.returncode != 0:
                return f"{flip}: {result.stderr}"
            if len(messages(result)) != 1 or newest.name not in messages(result)[0]:
                return f"{flip}: not one warning: {result.stderr}"
            problem = difference(folder / "r", expected)
            return f"{flip}: {problem}" if problem else ""

        self.assertEqual([problem for problem in for_each(check, flips) if problem], [])

    def test_without_a_checkpoint_that_is_whole_it_is_refused(self):
        self.unfinished(*self.RUN)
        for path in checkpoints(self.folder / "r"):
            data = bytearray(path.read_bytes())
            data[-1] ^= 1
            path.write_bytes(data)
        self.check_refused("has no checkpoint to go on from", "checksum")

    def test_checkpoints_of_an_earlier_version_are_refused_with_what_to_do(self):
        self.unfinished(*self.RUN)
        for path in checkpoints(self.folder / "r"):
            data = path.read_bytes()
            self.assertEqual(data.count(b"retropg-checkpoint-4"), 1)
            path.write_bytes(data.replace(b"retropg-checkpoint-4", b"retropg-checkpoint-1"))
        self.check_refused("of another version of retropg", "`retropg train --config r/config.toml`")
        self.assertEqual(len(messages(self.resume())), 1)
        self.succeed("train", "--config", "r/config.toml", "--out", "again")

    def test_lost_lines_are_refused(self):
        self.unfinished(*self.RUN)
        for name in ("progress.csv", "metrics.jsonl"):
            path = self.folder / "r" / name
            whole = path.read_bytes()
            path.write_bytes(whole[:100])
            self.check_refused(name, "lines are lost")
            path.unlink()
            self.check_refused(name, "is missing")
            path.write_bytes(whole)

    def test_a_missing_or_foreign_window_is_refused(self):
        expected = self.unfinished(*self.RUN)
        self.succeed("train", "--out", "other", "--set", "checkpoint.every=4", "--seed", 2, *self.RUN)
        window, = (self.folder / "r" / "checkpoints").glob("window-*.bin")
        foreign, = (self.folder / "other" / "checkpoints").glob("window-*.bin")
        own = window.read_bytes()
        window.unlink()
        self.check_refused("has no checkpoint to go on from", window.name)
        window.write_bytes(foreign.read_bytes())
        self.check_refused("has no checkpoint to go on from", window.name)
        window.write_bytes(own)
        self.assertEqual(self.resume().returncode, 0)
        self.assertEqual(difference(self.folder / "r", expected), "")

    def test_another_configuration_is_refused_by_its_key(self):
        self.unfinished(*self.RUN)
        path = self.folder / "r" / "config.toml"
        whole = path.read_text()
        for key, before, after in (("train.seed", "seed = 1\n", "seed = 2\n"),
                                   ("algo.batch", "batch = 3\n", "batch = 4\n"),
                                   ("env.id", "CartPoleContinuous-v0", "LinearQuadratic-v0"),
                                   ("train.iterations", "iterations = 12\n", "iterations = 11\n"),
                                   ("algo.name", 'name = "rpg"', 'name = "miw-pg"')):
            self.assertEqual(whole.count(before), 1, key)
            path.write_text(whole.replace(before, after))
            self.check_refused(key)
        path.write_text(whole[:whole.index("[train]")])
        self.check_refused("is cut: it has no key")
        path.write_text(whole.replace("threads = 1\n", "threads = 2\n"))
        self.assertEqual(self.resume().returncode, 0)


class Extension(ResumeTest):
    COMMON = ("--batch", 6, "--threads", 1, "--set", "train.eval_every=5", "--set", "train.eval_episodes=2",
              "--set", "train.confirm=3")

    def check_extension(self, algorithm, flag, first, second, every):
        common = ("train", *self.COMMON, "--algo", algorithm, "--set", f"checkpoint.every={every}")
        short, longer = f"{algorithm}{flag}{first}-{every}", f"{algorithm}{flag}{second}-{every}-whole"
        self.succeed(*common, flag, first, "--out", short)
        self.succeed(*common, flag, second, "--out", longer)
        result = self.resume(flag, second, run=short)
        self.assertEqual(result.returncode, 0, result.stderr)
        expected = files_of(self.folder / longer)
        expected["command.txt"] = (self.folder / short / "command.txt").read_bytes()
        self.assertEqual(difference(self.folder / short, expected), "", short)
        self.assertEqual(half_written(self.folder / short, expected), "")
        self.check_refused(f"train.{flag[2:]} = {first}", "less than", arguments=(flag, first), run=short)

    def test_a_longer_run_is_the_run_that_was_longer_from_the_start(self):
        for algorithm in ("rpg", "svrpg", "page-pg", "def-pg", "bpo", "pois", "rnpg", "pb-rpg"):
            for every in (0, 1, 3):
                self.check_extension(algorithm, "--iterations", 7, 12, every)
                self.check_extension(algorithm, "--budget", 60, 120, every)
                self.check_extension(algorithm, "--budget", 61, 133, every)  # cut in the middle of a batch
                self.check_extension(algorithm, "--budget", 65, 71, every)
                self.check_extension(algorithm, "--steps", 1000, 3000, every)

    def test_only_a_limit_that_the_run_has_can_grow(self):
        self.succeed("train", *self.COMMON, "--steps", 500, "--out", "r")
        self.check_refused("train.budget = 100: the run has no such limit; make it longer with --steps",
                           arguments=("--budget", 100))
        self.check_refused("--steps must be at least 1", arguments=("--steps", 0))

    def test_a_complete_run_is_not_changed_by_a_limit_that_does_not_make_it_longer(self):
        self.succeed("train", *self.COMMON, "--iterations", 3, "--budget", 300, "--out", "r")
        self.check_refused("the run is complete after iteration 3; to make it longer, raise --iterations",
                           arguments=("--budget", 400))
        self.assertIn("going on after iteration 3", self.resume("--iterations", 5).stderr)

    def test_a_run_that_has_reached_two_limits_needs_both_to_grow(self):
        self.succeed("train", *self.COMMON, "--iterations", 3, "--budget", 21, "--out", "r")
        for flag in ("--iterations", "--budget"):
            self.check_refused("to make it longer, raise --iterations, --budget", arguments=(flag, 60))
        self.assertIn("going on after iteration 3", self.resume("--iterations", 5, "--budget", 60).stderr)

    def test_twice(self):
        self.succeed("train", *self.COMMON, "--budget", 151, "--out", "whole")
        self.succeed("train", *self.COMMON, "--budget", 31, "--out", "r")
        for budget in (33, 77, 151):
            self.assertEqual(self.resume("--budget", budget).returncode, 0)
        expected = files_of(self.folder / "whole")
        expected["command.txt"] = (self.folder / "r" / "command.txt").read_bytes()
        self.assertEqual(difference(self.folder / "r", expected), "")

    def test_a_complete_run_stays_as_it_is(self):
        self.succeed("train", *self.COMMON, "--iterations", 5, "--out", "r")
        expected = files_of(self.folder / "r")
        result = self.resume()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("the run is complete after iteration 5; to make it longer, raise --iterations", result.stderr)
        self.assertEqual(difference(self.folder / "r", expected), "")

    def test_what_is_no_run_is_refused(self):
        (self.folder / "empty").mkdir()
        for name in ("empty", "missing", PROGRAM):
            result = self.resume(run=name)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main(verbosity=1)
