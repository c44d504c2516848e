"""Limits of the system: threads that cannot be started.

RETROPG is the program, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import resource
import unittest

from program import TIMEOUT, ProgramTest, listing


class AddressSpace(ProgramTest):
    def limited(self, megabytes, *arguments):
        """Exit status and stderr with this much address space."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        process = self.start(*arguments, preexec_fn=limit)
        _, stderr = process.communicate(timeout=TIMEOUT)
        return process.returncode, stderr

    def setUp(self):
        super().setUp()
        if self.limited(300, "list")[0] != 0:
            self.skipTest("the program itself needs more address space, as with a sanitizer")

    def check_refused(self, status, stderr):
        self.assertEqual(status, 2, stderr)
        self.assertRegex(stderr, r"^retropg: cannot start 64 threads: .*; use fewer with --threads\n$")

    def test_threads_that_do_not_fit_are_refused(self):
        # More trajectories than threads, so that every thread is needed.
        work = ("--iterations", 20, "--batch", 500, "--threads", 64)
        refused = 0
        for megabytes in (300, 400, 600, 900, 1200, 1300, 1400, 1600, 2000, 4000):
            out = f"r{megabytes}"
            status, stderr = self.limited(megabytes, "train", *work, "--out", out)
            if status == 0:
                continue
            refused += 1
            self.check_refused(status, stderr)
            self.assertFalse((self.folder / out).exists())
        self.assertGreater(refused, 0)

    def test_every_command_with_threads_refuses_them(self):
        self.train("r", "--iterations", 2)
        before = listing(self.folder)
        for arguments in (("eval", "r"), ("compare", "--algos", "rpg,gpomdp", "--budget", 20, "--out", "c"),
                          ("reproduce", "table2", "--runs", 2, "--out", "t")):
            self.check_refused(*self.limited(400, *arguments, "--threads", 64))
            self.assertEqual(listing(self.folder), before)


if __name__ == "__main__":
    unittest.main(verbosity=1)
