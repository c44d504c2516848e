"""Standard input, output and error that are closed, full or cut off.

RETROPG is the program, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import json
import os
import resource
import subprocess
import unittest

from program import PROGRAM, TIMEOUT, ProgramTest, command, environment, listing

ITERATIONS = 30
TRAIN = ("train", "--iterations", ITERATIONS, "--out", "r")


class Streams(ProgramTest):
    def shell(self, redirection, *arguments):
        """The program with its streams redirected by a shell, which says closed ones best."""
        words = " ".join(command(*arguments)[1:])
        return subprocess.run(["/bin/sh", "-c", f'exec "$0" {words} {redirection}', PROGRAM], cwd=self.folder,
                              env=environment(), timeout=TIMEOUT, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True)

    def test_closed_streams_do_not_end_up_in_files(self):
        for closed in ("2>&-", "0>&- 2>&-", "0>&-"):
            with self.subTest(closed=closed):
                self.assertEqual(self.shell(closed, *TRAIN, "--json").returncode, 0)
                self.check_complete("r", ITERATIONS)
                subprocess.run(["rm", "-r", "r"], cwd=self.folder, check=True)

    def test_progress_that_cannot_be_written_does_not_end_a_run(self):
        result = self.shell("2>/dev/full", *TRAIN)
        self.assertEqual(result.returncode, 0)
        self.check_complete("r", ITERATIONS)

    def test_a_reader_of_progress_who_leaves_does_not_end_a_run(self):
        reader, writer = os.pipe()
        os.close(reader)
        process = self.start(*TRAIN, stderr=writer)
        os.close(writer)
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0)
        self.check_complete("r", ITERATIONS)

    def test_output_that_cannot_be_written_is_a_failure_after_saving(self):
        for redirection in (">/dev/full", ">&-", "0>&- >&-"):
            with self.subTest(redirection=redirection):
                result = self.shell(redirection, *TRAIN)
                self.assertEqual(result.returncode, 1)
                self.assertIn("retropg: cannot write to", result.stderr)
                self.check_complete("r", ITERATIONS)
                subprocess.run(["rm", "-r", "r"], cwd=self.folder, check=True)
        for arguments in (("list",), ("--help",), ("--version",), ("train", "--help")):
            self.assertEqual(self.shell(">/dev/full", *arguments).returncode, 1, arguments)

    def test_a_reader_of_output_who_leaves_is_a_failure_after_saving(self):
        reader, writer = os.pipe()
        os.close(reader)
        process = self.start(*TRAIN, stdout=writer)
        os.close(writer)
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 1)
        self.check_complete("r", ITERATIONS)

    def test_a_limit_on_file_sizes_is_an_error_and_not_a_death(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        process = self.start("train", "--iterations", 3000, "--out", "r", preexec_fn=limit)
        _, stderr = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 1, stderr)
        self.assertIn("retropg: ", stderr.splitlines()[-1])


class Paths(ProgramTest):
    def test_a_path_that_is_no_utf8_is_printed_with_replacements(self):
        out = b"r\xff"
        process = self.start("train", "--iterations", 5, "--json", "--out", os.fsdecode(out))
        stdout, stderr = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertEqual(json.loads(stdout)["folder"], "r\ufffd")
        process = self.start("eval", "--episodes", 10, "--json", os.fsdecode(out))
        stdout, stderr = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertIn("r\ufffd", json.loads(stdout)["policy"])


class Messages(ProgramTest):
    def message(self, *arguments):
        process = self.start(*arguments)
        _, stderr = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 2, stderr)
        self.assertEqual(len(stderr.splitlines()), 1, stderr[:2000])
        self.assertLess(len(stderr), 700)
        self.assertEqual(listing(self.folder), [])
        return stderr

    def test_long_input_is_not_quoted_in_full(self):
        long = "x" * 100000
        for arguments in ((long,), ("train", "--" + long), ("train", "--budget", long), ("train", "--algo", long),
                          ("train", "--env", long), ("train", "--set", long), ("train", "--set", long + "=1"),
                          ("train", "--set", "policy.kind=" + long), ("train", "--config", long),
                          ("train", "--out", long), ("train", long), ("train", "--window", long),
                          ("compare", "--budget", 10, "--algos", long),
                          ("compare", "--budget", 10, "--algos", "rpg:" + long),
                          ("compare", "--budget", 10, "--reference", long),
                          ("compare", "--budget", 10, "--threshold", long), ("compare", "--seeds", long),
                          ("reproduce", long), ("eval", long), ("eval", "r", "--episodes", long)):
            self.message(*arguments)

    def test_the_advice_after_a_long_quote_is_kept(self):
        self.assertIn("see 'retropg train --help'", self.message("train", "--budget", "1" * 100000))
        self.assertIn("(known: train", self.message("x" * 100000))

    def test_a_line_break_in_a_label_is_refused(self):
        self.assertIn("control character", self.message("compare", "--budget", 20, "--algos", "rpg,rpg:algo.window=\n3"))

    def test_control_characters_become_blanks(self):
        text = self.message("train", "--algo", "a\nb\tc\x1b[31m\x7f")
        self.assertIn("'a b c [31m '", text)


if __name__ == "__main__":
    unittest.main(verbosity=1)
