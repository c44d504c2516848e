"""Twenty kills at random moments; `script/kill-test` is the long form.

RETROPG is the program. Standard library only.
"""

import unittest

from kills import tallies
from run_folders import SHIM


@unittest.skipUnless(SHIM, "runs long enough to be killed take minutes with sanitizers")
class Kills(unittest.TestCase):
    def test_killed_runs_end_as_if_nothing_had_been(self):
        results = tallies(kills=20, seed=1)
        self.assertEqual([f"{tally.name}: {problem}" for tally in results for problem in tally.problems], [])
        self.assertEqual(sum(tally.kills for tally in results), 20)
        self.assertGreaterEqual(len(results), 7)


if __name__ == "__main__":
    unittest.main(verbosity=1)
