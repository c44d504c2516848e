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

from program import TIMEOUT, ProgramTest, command, environment


class Signals(ProgramTest):
    def start_long_run(self, out="r", **options):
        process = self.start("train", "--iterations", 1000000000, "--window", 2, "--out", out, "--json", **options)
        self.wait_for(lambda: self.lines_of_timing(out) > 0)
        return process

    def lines_of_timing(self, out="r"):
        timing = self.folder / out / "timing.jsonl"
        return timing.read_text().count("\n") if timing.exists() else 0

    def check_end(self, process, status, out="r"):
        stdout, stderr = process.communicate(timeout=TIMEOUT)
        self.assertIn(process.returncode, status if isinstance(status, tuple) else (status,), stderr)
        summary = json.loads(stdout)
        self.assertTrue(summary["interrupted"])
        self.assertEqual(summary["trajectories"], 10 * summary["iterations"])
        self.check_complete(out, summary["iterations"])

    def test_each_signal_ends_a_run_with_complete_files(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU):
            process = self.start_long_run(number.name)
            process.send_signal(number)
            self.check_end(process, 128 + number, number.name)

    def test_a_second_signal_does_not_cut_the_saving_short(self):
        for attempt in range(5):
            process = self.start_long_run(f"r{attempt}")
            process.send_signal(signal.SIGINT)
            time.sleep(0.0005)
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGTERM)
            # Two threads may take the two signals, in either order.
            self.check_end(process, (130, 143), f"r{attempt}")

    def test_a_signal_right_after_the_start_leaves_no_half_made_folder(self):
        for attempt in range(10):
            out = f"r{attempt}"
            process = self.start("train", "--iterations", 1000000000, "--window", 2, "--out", out, "--json")
            self.wait_for(lambda: (self.folder / out).exists())
            process.send_signal(signal.SIGTERM)
            self.check_end(process, 143, out)

    def test_an_ignored_hangup_stays_ignored(self):
        process = self.start_long_run(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        lines = self.lines_of_timing()
        self.wait_for(lambda: self.lines_of_timing() > lines + 1)
        process.send_signal(signal.SIGINT)
        self.check_end(process, 130)

    def test_a_request_to_save_does_not_end_the_run(self):
        process = self.start_long_run()
        lines = self.lines_of_timing()
        process.send_signal(signal.SIGUSR1)
        self.wait_for(lambda: self.lines_of_timing() > lines + 1)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        self.check_end(process, 143)

    def test_a_request_to_save_writes_at_once(self):
        # 0.1 s apart, while unasked lines come once a second: without the signal there would be one or two.
        process = self.start_long_run()
        before = self.lines_of_timing()
        for count in range(1, 21):
            process.send_signal(signal.SIGUSR1)
            self.wait_for(lambda: self.lines_of_timing() >= before + count)
        process.send_signal(signal.SIGTERM)
        self.check_end(process, 143)


class Progress(ProgramTest):
    def test_plain_lines_without_a_terminal(self):
        # A line every ten seconds: none of a run that is over before.
        self.assertEqual(self.succeed("train", "--iterations", 50, "--out", "r").stderr, "")
        self.assertEqual(self.succeed("eval", "r").stderr, "")
        process = self.start("train", "--iterations", 1000000000, "--window", 2, "--threads", 1, "--out", "s")
        row = process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=TIMEOUT)
        self.assertRegex(row, r"\A *\d+ %  iteration \d+  return .*  ETA .*\n\Z")
        self.assertNotIn("\r", row)
        self.assertNotIn("\x1b", row)

    def test_one_changing_line_on_a_terminal(self):
        master, terminal = pty.openpty()
        self.addCleanup(os.close, master)
        process = subprocess.Popen([*command("train"), "--iterations", "1000000000", "--window", "2", "--out", "r",
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
