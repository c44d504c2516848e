"""The folder of `compare` and `reproduce`: stopped in any way, the experiment goes on and ends with the same files.

RETROPG is the program, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import json
import resource
import shlex
import signal
import subprocess
import time
import unittest

from program import TIMEOUT, command as program_command, environment, run
from results import ResultsTest

SMALL = ("compare", "--env", "LQR", "--budget", 120, "--seeds", 3, "--algos", "rpg,gpomdp:algo.batch=7")
# Runs of about half a second, so that some have checkpoints when they are killed.
LONG = ("compare", "--env", "CartPole", "--budget", 40000, "--seeds", 2, "--algos", "rpg,bh-pg", "--set",
        "checkpoint.seconds=0.05")
TABLE = ("reproduce", "table2", "--runs", 2)
ENDLESS = ("compare", "--env", "CartPole", "--algos", "bh-pg,rpg", "--budget", 10**10, "--seeds", 2)


class FolderTest(ResultsTest):
    def wait_for(self, condition, process):
        end = time.monotonic() + TIMEOUT
        while not condition():
            self.assertLess(time.monotonic(), end, "timed out")
            self.assertIsNone(process.poll(), "ended early")
            time.sleep(0.01)


class Kills(FolderTest):
    def check(self, command, moments):
        self.succeed(*command, "--out", "whole")
        wanted = self.contents("whole")
        killed = 0
        for moment in moments:
            process = self.start(*command, "--out", "k")
            time.sleep(moment)
            process.kill()
            process.communicate(timeout=TIMEOUT)
            killed += process.returncode == -signal.SIGKILL
        self.assertGreater(killed, 1, "the moments are too late")
        self.succeed(*command, "--out", "k", "--threads", 1)
        self.check_same("k", wanted)
        again = self.succeed(*command, "--out", "k")
        self.assertRegex(again.stderr, r"retropg: k: has (\d+) of \1 runs\n")
        self.check_same("k", wanted)

    def test_a_comparison_that_was_killed_ends_with_the_same_files(self):
        self.check(LONG, (0.01, 0.02, 0.05, 0.3, 0.4, 0.5, 0.6, 0.7))

    def test_table2_that_was_killed_ends_with_the_same_files(self):
        self.check(TABLE, (0.02, 0.1, 0.2, 0.3, 0.4))

    def test_a_run_under_way_is_resumed(self):
        process = self.start(*ENDLESS, "--set", "checkpoint.every=100", "--out", "c")
        progress = self.folder / "c/runs/bh-pg/1/progress.csv"
        checkpoints = progress.parent / "checkpoints"
        self.wait_for(lambda: len(list(checkpoints.glob("*00.safetensors"))) > 1, process)
        process.kill()
        process.communicate(timeout=TIMEOUT)
        before = max(int(path.stem) for path in checkpoints.glob("*.safetensors"))
        process = self.start(*ENDLESS, "--set", "checkpoint.every=100", "--out", "c")
        provenance = progress.parent / "provenance.json"
        self.wait_for(lambda: "resumed" in json.loads(provenance.read_text()), process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(json.loads(provenance.read_text())["resumed"][0]["iteration"], before)
        rows = progress.read_text().splitlines()[1:]
        self.assertEqual([int(row.split(",")[0]) for row in rows], list(range(1, len(rows) + 1)))
        self.assertGreaterEqual(len(rows), before)


class Signals(FolderTest):
    def check(self, number, status, *out):
        name = signal.Signals(number).name
        process = self.start(*ENDLESS, *out)
        self.wait_for(lambda: len(list(self.folder.glob("**/runs/*/*/checkpoints/*.safetensors"))) > 1, process)
        process.send_signal(number)
        output, error = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, status)
        self.assertEqual(output, "")
        found = [line for line in error.splitlines() if line.startswith(f"retropg: stopped by {name} after 0 of 4 runs; ")]
        self.assertEqual(len(found), 1, error)
        states = [path.read_text() for path in self.folder.glob("**/runs/*/*/status")]
        self.assertEqual(set(states), {f"interrupted: {name}\n"})
        return shlex.split(found[0].split("go on with: ")[1])

    def test_an_interrupt_says_how_to_go_on(self):
        command = self.check(signal.SIGINT, 130, "--out", "my results")
        self.assertEqual(command, [*program_command(*ENDLESS), "--out", "my results"])

    def test_without_out_the_folder_is_named(self):
        command = self.check(signal.SIGTERM, 143)
        self.assertEqual(command[:-1], [*program_command(*ENDLESS), "--out"])
        self.assertTrue((self.folder / command[-1] / "plan.toml").is_file())

    def test_sigusr1_makes_every_run_write_a_checkpoint(self):
        process = self.start(*ENDLESS, "--set", "checkpoint.seconds=0", "--threads", 2, "--out", "c")
        checkpoints = lambda: {path.parent: max(int(file.stem) for file in path.parent.glob("*.safetensors"))
                               for path in self.folder.glob("c/runs/*/*/checkpoints/*.safetensors")}
        self.wait_for(lambda: len(checkpoints()) == 2, process)
        before = checkpoints()
        process.send_signal(signal.SIGUSR1)
        self.wait_for(lambda: all(checkpoints()[path] > number for path, number in before.items()), process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)

    def test_finished_runs_stay(self):
        process = self.start("reproduce", "table2", "--runs", 1000, "--out", "r")
        done = lambda: [path for path in self.folder.glob("r/runs/*/*/status") if path.read_text() == "done\n"]
        self.wait_for(lambda: len(done()) > 2, process)
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=TIMEOUT)[1]
        self.assertEqual(process.returncode, 130)
        self.assertIn(f"stopped by SIGINT after {len(done())} of 12000 runs; ", error)
        self.assertFalse((self.folder / "r/claims.csv").exists())


class Refusals(FolderTest):
    def refuse(self, *command):
        before = self.contents("c")
        result = run(*command, "--out", "c", cwd=self.folder)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertRegex(result.stderr, r"\Aretropg: [^\n]+\n\Z")
        self.check_same("c", before)
        return result.stderr

    def test_other_settings_are_refused_by_name(self):
        self.succeed(*SMALL, "--out", "c")
        def changed(flag, value):
            words = list(SMALL)
            words[words.index(flag) + 1] = value
            return words
        for command, hint in [
                (changed("--budget", 121), "--out c: was made with --budget 120, not 121"),
                (changed("--env", "Bandit"), "arm 'rpg' was made with env.id = \"LinearQuadratic-v0\", not"),
                (changed("--algos", "rpg"), "was made with arm 'gpomdp:algo.batch=7' too"),
                (changed("--algos", "rpg,gpomdp"), "was made without arm 'gpomdp'"),
                ((*SMALL, "--seed", 2), "was made with --seed 1, not 2"),
                ((*SMALL, "--window", 3), "arm 'rpg' was made with algo.window = 8, not 3"),
                ((*SMALL, "--keep", "all"), "was made with --keep 'policies', not 'policies,metrics,checkpoints'"),
                (TABLE, "was made with the experiment 'compare', not 'table2'")]:
            with self.subTest(hint=hint):
                self.assertIn(hint, self.refuse(*command))

    def test_reproduce_names_its_own_flags(self):
        self.succeed(*TABLE, "--out", "c")
        self.assertIn("was made with --seed 1, not 4", self.refuse(*TABLE, "--seed", 4))
        self.assertIn("was made with --scale 1, not 0.5", self.refuse(*TABLE, "--scale", 0.5))

    def test_a_second_process_is_refused(self):
        process = self.start(*ENDLESS, "--out", "c")
        self.wait_for((self.folder / "c/runs").exists, process)
        result = run(*ENDLESS, "--out", "c", cwd=self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertIn("c: is in use by another process", result.stderr)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)

    def test_a_damaged_run_is_refused_and_left(self):
        self.succeed(*SMALL, "--out", "c")
        file = self.folder / "c/runs/rpg/2/progress.csv"
        file.write_bytes(file.read_bytes()[:-1])
        self.assertIn("c/runs/rpg/2/progress.csv: line 13 is damaged", self.refuse(*SMALL))


class MoreRuns(FolderTest):
    def test_more_seeds_run_only_what_is_missing(self):
        self.succeed(*SMALL, "--out", "c")
        more = [5 if word == 3 else word for word in SMALL]
        self.assertIn("retropg: c: has 6 of 10 runs\n", self.succeed(*more, "--out", "c").stderr)
        self.succeed(*more, "--out", "whole")
        self.check_same("c", self.contents("whole"))

    def test_fewer_seeds_read_the_first_runs(self):
        more = [5 if word == 3 else word for word in SMALL]
        self.succeed(*more, "--out", "c")
        self.assertIn("retropg: c: has 6 of 6 runs\n", self.succeed(*SMALL, "--out", "c").stderr)
        self.succeed(*SMALL, "--out", "whole")
        self.assertEqual((self.folder / "c/summary.json").read_bytes(), (self.folder / "whole/summary.json").read_bytes())


class Keeping(FolderTest):
    def test_the_runs_are_run_folders(self):
        self.succeed(*SMALL, "--keep", "all", "--out", "c")
        self.succeed("eval", "c/runs/rpg/2", "--episodes", 5)
        self.train("r", "--config", "c/arms/rpg.toml", "--seed", 2)
        self.assertEqual(self.determined("c/runs/rpg/2"), self.determined("r"))
        self.assertIn("the run is complete", self.succeed("resume", "c/runs/rpg/2").stderr)

    def test_keep_changes_no_table(self):
        for keep in ("all", "none", "policies"):
            self.succeed(*SMALL, "--keep", keep, "--out", keep)
        tables = ["curves.csv", "pairs.csv", "runs.csv", "scores.csv", "summary.csv", "summary.json", "figure.png"]
        for name in tables:
            self.assertEqual({keep: (self.folder / keep / name).read_bytes() for keep in ("all", "none", "policies")},
                             dict.fromkeys(("all", "none", "policies"), (self.folder / "all" / name).read_bytes()))
        names = lambda keep: sorted(path.name for path in (self.folder / keep / "runs/rpg/1").iterdir())
        always = ["config.toml", "progress.csv", "provenance.json", "result.json", "status", "timing.jsonl"]
        self.assertEqual(names("none"), always)
        self.assertEqual(names("policies"), sorted([*always, "policy"]))
        self.assertEqual(names("all"), sorted([*always, "policy", "checkpoints", "metrics.jsonl"]))


    def test_curves_take_the_place_of_runs_and_more_can_be_added(self):
        self.succeed(*SMALL, "--out", "whole")
        self.succeed(*SMALL, "--keep", "curves", "--out", "c")
        runs = self.folder / "c/runs"
        self.assertEqual(sorted(path.name for path in (runs / "rpg").iterdir()), ["1.csv", "2.csv", "3.csv"])
        self.assertEqual((self.folder / "c/summary.json").read_bytes(), (self.folder / "whole/summary.json").read_bytes())
        for name in ("provenance.json", "command.txt", "scores.csv", "summary.json"):
            (self.folder / "c" / name).unlink()
        more = [5 if word == 3 else word for word in SMALL]
        result = self.succeed(*more, "--keep", "curves", "--out", "c")
        self.assertIn("retropg: c: has 6 of 10 runs\n", result.stderr)
        self.succeed(*more, "--out", "more")
        self.assertEqual((self.folder / "c/summary.json").read_bytes(), (self.folder / "more/summary.json").read_bytes())
        # What a kill between writing the curve and removing the run leaves.
        (runs / "rpg/2").mkdir()
        (runs / "rpg/2/status").write_text("done\n")
        self.succeed(*more, "--keep", "curves", "--out", "c")
        self.assertFalse((runs / "rpg/2").exists())
        file = runs / "rpg/2.csv"
        file.write_bytes(file.read_bytes()[:-9])
        result = run(*more, "--keep", "curves", "--out", "c", cwd=self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertIn("c/runs/rpg/2.csv: has lost lines", result.stderr)


class Trouble(FolderTest):
    def limited(self, size, *arguments):
        """The program on a disk that takes no file above a size."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return subprocess.run(program_command(*arguments), cwd=self.folder, env=environment(), timeout=TIMEOUT,
                              capture_output=True, text=True, preexec_fn=limit, restore_signals=False)

    def test_a_full_disk_costs_neither_runs_nor_files_of_others(self):
        self.succeed(*SMALL, "--out", "whole")
        wanted = self.contents("whole")
        sizes = sorted({path.stat().st_size for path in (self.folder / "whole").rglob("*") if path.is_file()})
        for size in sizes[:-1:3]:
            result = self.limited(size, *SMALL, "--out", f"c{size}")
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertRegex(result.stderr, "cannot (be written|write)|a figure was not drawn")
            folder = self.folder / f"c{size}"
            (folder / "mine.txt").write_text("mine")
            done = {path: path.stat().st_mtime_ns for path in folder.glob("runs/*/*/status")
                    if path.read_text() == "done\n"}
            self.limited(size, *SMALL, "--out", f"c{size}")
            if not (folder / "plan.toml").exists():
                continue
            self.succeed(*SMALL, "--out", f"c{size}")
            self.assertEqual({path: path.stat().st_mtime_ns for path in done}, done, "not run again")
            self.assertEqual((folder / "mine.txt").read_text(), "mine")
            (folder / "mine.txt").unlink()
            self.check_same(f"c{size}", wanted)

    def test_a_figure_that_cannot_be_drawn_costs_no_data(self):
        for name, command in (("c", SMALL), ("t", TABLE)):
            result = run(*command, "--out", name, cwd=self.folder, PATH=str(self.folder))
            self.assertEqual(result.returncode, 1)
            self.assertIn("figure was not drawn", result.stderr)
            self.assertTrue((self.folder / name / "curves.csv").exists())
            self.succeed(*command, "--out", name)
            self.succeed(*command, "--out", name + "-whole")
            self.check_same(name, self.contents(name + "-whole"))

    def test_files_of_others_stay(self):
        process = self.start(*ENDLESS, "--out", "c")
        self.wait_for((self.folder / "c/runs/rpg").exists, process)
        mine = [self.folder / "c" / name for name in ("mine.txt", "runs/mine.txt", "runs/rpg/mine.txt")]
        for path in mine:
            path.write_text("mine")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)
        process = self.start(*ENDLESS, "--out", "c")
        time.sleep(0.5)
        process.kill()
        process.communicate(timeout=TIMEOUT)
        for path in mine:
            self.assertEqual(path.read_text(), "mine")


if __name__ == "__main__":
    unittest.main(verbosity=1)
