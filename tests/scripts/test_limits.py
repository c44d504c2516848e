"""Limits of the system: threads that cannot be started, memory that is not there.

RETROPG is the program, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import os
import re
import resource
import unittest

from program import PROGRAM, TIMEOUT, ProgramTest, command, environment, listing

LQR = ("--env", "LQR", "--set", "env.horizon=1000", "--threads", 1)  # every trajectory has 1000 steps
STEPS = ("--set", "policy.evidence=steps")
NETWORK = ("--set", "policy.kind=mlp", "--set", "policy.hidden=[8]")


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

    def peak(self, *arguments):
        """The most memory the program had at once, in bytes."""
        silent = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_WRONLY, 0) for number in (1, 2)]
        process = os.posix_spawn(PROGRAM, command("train", *arguments), environment(), file_actions=silent)
        _, status, usage = os.wait4(process, 0)
        self.assertEqual(status, 0, arguments)
        return 1024 * usage.ru_maxrss

    def test_what_a_run_is_said_to_need_is_what_it_takes(self):
        itself = self.peak("--iterations", 1, "--out", self.folder / "itself")
        for number, arguments in enumerate((
                ("--algo", "gpomdp", *STEPS, "--batch", 2000, "--iterations", 2),
                ("--algo", "rpg", *STEPS, "--batch", 1000, "--window", 3, "--iterations", 5),
                ("--algo", "storm-pg", "--batch", 2000, "--iterations", 3),
                ("--algo", "bpo", "--batch", 2000, "--iterations", 6),
                ("--algo", "rpg", *STEPS, "--set", "algo.baseline=mean", "--batch", 1000, "--window", 2, "--iterations", 4),
                ("--algo", "rpg", *NETWORK, "--batch", 1000, "--window", 2, "--iterations", 4))):
            # With this little memory the run is refused, and the message has the number.
            status, stderr = self.limited(120, "train", *LQR, *arguments, "--out", "r")
            self.assertEqual(status, 2, stderr)
            said = 1e9 * float(re.search(r"need about ([0-9.e+-]+) GB", stderr).group(1))
            took = self.peak(*LQR, *arguments, "--out", self.folder / f"r{number}") - itself
            self.assertLess(took, 1.1 * said, arguments)
            self.assertGreater(took, 0.5 * said, arguments)


if __name__ == "__main__":
    unittest.main(verbosity=1)
