"""benchmarks/coverage.py without runs: what it keeps, and what it says of rows."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import types
import unittest

import program

sys.path.insert(0, str(program.SOURCE / "benchmarks"))
sys.dont_write_bytecode = True

import coverage
import resumable

NAME = "LQR-gpomdp-10-100"
ROW = coverage.all_rows()[NAME]


def run(seed, truth=0.0, output="last", last=0.0, half_width=2.0):
    """As long as the half-width is 2, this is the oracle's: 4 trajectories with standard deviation 2."""
    return {"seed": seed, "output": output, "mean": 0.0, "low": -half_width, "high": half_width, "effective": 4.0,
            "truth": truth, "deviation": 2.0, "last": last, "at_cap": 0.0}


def fails(runs):
    return coverage.summary(ROW, runs)["fails"]


class Coverage(unittest.TestCase):
    def test_has_every_row(self):
        self.assertEqual(len(coverage.all_rows()), 6 * (2 * 3 * 3 + 2) + 3)

    def test_of_too_few_intervals_fails(self):
        self.assertEqual(fails([run(seed, truth=3.0 * (seed < 9)) for seed in range(100)]), ["covers"])
        self.assertEqual(fails([run(seed, truth=3.0 * (seed < 8)) for seed in range(100)]), [])

    def test_of_nearly_all_fails_only_if_the_interval_is_wide(self):
        self.assertEqual(fails([run(seed) for seed in range(100)]), [])
        self.assertEqual(fails([run(seed, half_width=3.0) for seed in range(100)]), ["wide"])
        self.assertEqual(fails([run(seed, half_width=3.0) | {"at_cap": 0.9} for seed in range(100)]), [])
        small = coverage.all_rows()["LQR-gpomdp-3-100"]
        self.assertEqual(coverage.summary(small, [run(seed, half_width=5.0) for seed in range(100)])["fails"], [])

    def test_of_earlier_iterates_is_judged_by_itself(self):
        chosen = [run(seed, output="estimated", truth=3.0 * (seed < 11)) for seed in range(100)]
        self.assertEqual(fails(chosen + [run(seed) for seed in range(100, 300)]), ["chosen"])
        self.assertEqual(fails(chosen[1:] + [run(seed) for seed in range(100, 300)]), [], "99 are too few to say")

    def test_sees_returned_policies_that_are_worse_than_the_last(self):
        self.assertEqual(fails([run(seed, last=0.1 + 0.01 * (seed % 2)) for seed in range(100)]), ["worse"])
        self.assertEqual(fails([run(seed, last=0.1 * (-1) ** seed) for seed in range(100)]), [])

    def test_takes_a_missing_end_as_infinite(self):
        self.assertTrue(coverage.covered(run(1, truth=1e9) | {"high": None}))
        self.assertFalse(coverage.covered(run(1, truth=-1e9) | {"high": None}))

    def test_keeps_whole_lines_and_reports_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f"{NAME}.jsonl"
            whole = "".join(json.dumps(run(seed)) + "\n" for seed in range(10))
            path.write_text(whole + '{"seed": 1')
            self.assertEqual([each["seed"] for each in resumable.stored(path)], list(range(10)))
            self.assertEqual(path.read_text(), whole)
            self.assertEqual(resumable.stored(pathlib.Path(folder) / "none.jsonl"), [])
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                coverage.report(types.SimpleNamespace(rows={NAME: ROW}, results=pathlib.Path(folder)))
            self.assertIn(f"| {NAME} | 10 | 100.0 | 0 | - | 4 | 1.02 | 0 +- 0 | - |", out.getvalue())


if __name__ == "__main__":
    unittest.main()
