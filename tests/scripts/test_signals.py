"""The program while it runs: signals and progress.

RETROPG is the program, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import json
import os
import pty
import signal
import subprocess
import time
import unittest

from program import PROGRAM, TIMEOUT, ProgramTest, environment


class Signals(ProgramTest):
    def wait_for(self, condition):
        end = time.monotonic() + TIMEOUT
        while not condition():
            self.assertLess(time.monotonic(), end, "timed out")
            time.sleep(0.02)

    def check_interrupt(self, number, status):
        process = self.start("train", "--iterations", 1000000000, "--window", 2, "--out", "r", "--json")
        timing = self.folder / "r" / "timing.jsonl"
        self.wait_for(lambda: timing.exists() and timing.stat().st_size > 0)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, status, stderr)
        summary = json.loads(stdout)
        self.assertTrue(summary["interrupted"])
        self.assertEqual(summary["trajectories"], 10 * summary["iterations"])
        self.check_complete("r", summary["iterations"])

    def test_sigint_ends_a_run_with_complete_files(self):
        self.check_interrupt(signal.SIGINT, 130)

    def test_sigterm_ends_a_run_with_complete_files(self):
        self.check_interrupt(signal.SIGTERM, 143)


class Progress(ProgramTest):
    def test_plain_lines_without_a_terminal(self):
        stderr = self.succeed("train", "--iterations", 50, "--out", "r").stderr
        rows = [row for row in stderr.splitlines() if "ETA" in row]
        self.assertEqual(len(rows), 10, stderr)
        self.assertIn("100 %", rows[-1])
        self.assertIn("iteration 50", rows[-1])
        self.assertNotIn("\r", stderr)
        self.assertNotIn("\x1b", stderr)

    def test_one_changing_line_on_a_terminal(self):
        master, terminal = pty.openpty()
        self.addCleanup(os.close, master)
        process = subprocess.Popen([PROGRAM, "train", "--iterations", "1000000000", "--window", "2", "--out", "r",
                                    "--json"], cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=terminal)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        os.close(terminal)
        seen = b""
        while seen.count(b"ETA") < 2:
            part = os.read(master, 4096)
            self.assertTrue(part)
            seen += part
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 130)
        json.loads(stdout)
        self.assertIn(b"\r", seen)
        self.assertNotIn(b"\n", seen, "the line is written over, not repeated")
        self.assertRegex(seen, rb"iteration \d+ .*return .*ETA ")


if __name__ == "__main__":
    unittest.main(verbosity=1)
