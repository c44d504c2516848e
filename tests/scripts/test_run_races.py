"""Several programs at once on one folder, and signals at any moment of a run.

RETROPG is the program. Standard library only.
"""

import json
import signal
import time
import unittest

from program import TIMEOUT, ProgramTest
from run_folders import can_go_on, difference, files_of

ENDLESS = ("train", "--iterations", 1000000000, "--window", 2, "--out", "r", "--json", "--set", "checkpoint.seconds=0")


class RaceTest(ProgramTest):
    def begun(self):
        """A run without an end that has its first checkpoint."""
        process = self.start(*ENDLESS)
        self.wait_for(lambda: can_go_on(self.folder / "r"))
        return process

    def end(self, process, number=signal.SIGINT):
        process.send_signal(number)
        return self.finished(process, 128 + number)

    def finished(self, process, status):
        stdout, stderr = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, status, stderr)
        self.check_complete("r", json.loads(stdout)["iterations"])
        return stderr


class OneFolder(RaceTest):
    def test_a_run_is_not_resumed_while_it_runs(self):
        process = self.begun()
        for arguments in (("resume", "r"), ("resume", "r", "--budget", 5), ("train", "--out", "r")):
            second = self.start(*arguments)
            _, stderr = second.communicate(timeout=TIMEOUT)
            self.assertEqual(second.returncode, 2, stderr)
            self.assertEqual(len(stderr.splitlines()), 1)
            self.assertIn("already exists" if arguments[0] == "train" else "in use by another process", stderr)
        self.assertIsNone(process.poll())
        self.end(process)

    def test_one_of_two_trainings_gets_the_folder(self):
        arguments = ("train", "--iterations", 5, "--threads", 1)
        self.succeed(*arguments, "--out", "alone")
        expected = files_of(self.folder / "alone")
        del expected["command.txt"]
        for number in range(20):
            name = f"r{number}"
            pair = [self.start(*arguments, "--out", name) for _ in range(2)]
            errors = [process.communicate(timeout=TIMEOUT)[1] for process in pair]
            self.assertEqual(sorted(process.returncode for process in pair), [0, 2], errors)
            loser = next(number for number, process in enumerate(pair) if process.returncode == 2)
            self.assertIn("already exists", errors[loser])
            self.assertEqual(difference(self.folder / name, {**expected, "command.txt": self.command_of(name)}), "")

    def command_of(self, name):
        return (self.folder / name / "command.txt").read_bytes()

    def test_folders_with_a_date_never_collide(self):
        for _ in range(5):
            trio = [self.start("train", "--iterations", 3, "--threads", 1, "--json") for _ in range(3)]
            folders = set()
            for process in trio:
                stdout, stderr = process.communicate(timeout=TIMEOUT)
                self.assertEqual(process.returncode, 0, stderr)
                folders.add(json.loads(stdout)["folder"])
            self.assertEqual(len(folders), 3)


class Signals(RaceTest):
    def test_sigusr1_leaves_a_checkpoint_and_the_run_goes_on(self):
        process = self.begun()
        checkpoints = self.folder / "r" / "checkpoints"

        def newest():
            return max(int(path.name.split(".")[0]) for path in checkpoints.glob("*.safetensors"))

        before = newest()
        for _ in range(3):
            process.send_signal(signal.SIGUSR1)
            self.wait_for(lambda: newest() > before)
            before = newest()
        self.assertIsNone(process.poll())
        self.end(process)
        self.assertGreaterEqual(newest(), before)  # equal if it ended before another iteration

    def test_every_signal_that_stops_leaves_a_complete_folder(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU):
            with self.subTest(number):
                self.setUp()
                stderr = self.end(self.begun(), number)
                self.assertIn(f"stopped by {number.name}", stderr)
                self.assertEqual((self.folder / "r" / "status").read_text(), f"interrupted: {number.name}\n")

    def test_a_second_signal_does_not_cut_the_saving_short(self):
        for _ in range(10):
            self.setUp()
            process = self.begun()
            process.send_signal(signal.SIGINT)
            time.sleep(0.0005)
            self.end(process)

    def test_a_signal_at_the_start_leaves_nothing_or_a_run(self):
        for number in range(25):
            self.setUp()
            process = self.start(*ENDLESS)
            time.sleep(0.002 * number)
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=TIMEOUT)
            if (self.folder / "r").exists():
                self.assertEqual(process.returncode, 130, stderr)
                self.assertTrue(can_go_on(self.folder / "r"))
                self.assertTrue((self.folder / "r" / "policy" / "final.safetensors").exists())
            else:
                self.assertIn(process.returncode, (-signal.SIGINT, 130), stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
