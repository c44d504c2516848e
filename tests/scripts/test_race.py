"""benchmarks/race without the peers: statistics, tables, what is left to run, and our Cart Pole as the peers see it."""

import json
import math
import os
import random
import struct
import subprocess
import sys
import unittest

import program

RACE = program.SOURCE / "benchmarks" / "race"
sys.path.insert(0, str(RACE))
sys.dont_write_bytecode = True

import cart_pole
import protocol
import report
import result_files
import running
import summary

CART_POLE, SWIMMER = protocol.TASKS["cart-pole"], protocol.TASKS["swimmer"]
DIAGONAL = protocol.METHODS["cma-es-diagonal"]

# Learns 100 per iteration of 4 trajectories, faster with a larger seed; fails with seed 6003.
STAND_IN = """#!/usr/bin/python3
import pathlib, sys
value = lambda name: sys.argv[sys.argv.index(name) + 1]
seed, out = int(value("--seed")), pathlib.Path(value("--out"))
if seed == 6003:
    sys.exit("no such seed")
out.mkdir()
rows = [f"{i},{4 * i},{400 * i},{(seed - 6000) * 100 * i},1.0,20" for i in range(1, 4)]
header = "iteration,trajectories,steps,mean,half_width,episodes"
(out / "evaluations.csv").write_text("\\n".join([header, *rows]) + "\\n")
"""


def run_of(*pairs):
    return [result_files.Evaluation(trajectories, 10 * trajectories, value) for trajectories, value in pairs]


class Summary(unittest.TestCase):
    def test_quantiles_are_between_order_statistics(self):
        self.assertEqual(summary.quantile([4.0, 1.0, 3.0, 2.0], 0.5), 2.5)
        self.assertAlmostEqual(summary.quantile(range(1, 12), 0.9), 10.0)
        self.assertEqual(summary.quantile([1.0, math.inf, math.inf], 0.5), math.inf)
        self.assertEqual(summary.quantile([1.0, 2.0, math.inf], 0.5), 2.0)
        self.assertEqual(summary.quantile([1.0, math.inf], 0.5), math.inf)

    def test_the_interval_of_a_median_has_the_ranks_of_the_tables(self):
        # Conover, Practical Nonparametric Statistics: P(Bin(n, 1/2) <= rank - 1) at most 0.025.
        for count, rank in ((5, 1), (6, 1), (9, 2), (10, 2), (16, 4), (100, 40)):
            self.assertEqual(summary.median_interval(range(1, count + 1)), (rank, count + 1 - rank), count)

    def test_the_interval_of_a_share_is_wilsons(self):
        low, high = summary.share_interval(8, 10)
        self.assertAlmostEqual(low, 0.49016, 5)
        self.assertAlmostEqual(high, 0.94332, 5)
        self.assertEqual(summary.share_interval(0, 10)[0], 0.0)

    def test_a_return_is_that_of_the_last_evaluation_so_far(self):
        run = run_of((1, 5.0), (9, 7.0), (17, 6.0))
        self.assertIsNone(summary.last_until(run, 0))
        self.assertEqual(summary.last_until(run, 16).mean_return, 7.0)
        self.assertEqual(summary.last_until(run, 17).mean_return, 6.0)

    def test_the_first_evaluation_at_the_goal_counts(self):
        self.assertEqual(summary.needed(run_of((1, 5.0), (9, 190.0), (17, 195.0)), 190.0), (9, 90))
        self.assertEqual(summary.needed(run_of((1, 5.0)), 190.0), (math.inf, math.inf))


class Results(program.ProgramTest):
    def test_what_is_finished_is_not_run_again(self):
        result_files.write(result_files.path(self.folder, SWIMMER, DIAGONAL, 5002), run_of((1, 5.0)))
        result_files.path(self.folder, SWIMMER, DIAGONAL, 5001).with_suffix(".csv.tmp").write_text("half a")
        left = running.unfinished(self.folder, [SWIMMER], [DIAGONAL], 3)
        self.assertEqual([seed for _, _, seed in left], [5001, 5003])
        self.assertEqual(len(running.unfinished(self.folder, [CART_POLE], [DIAGONAL])), 100)
        self.assertEqual(len(running.unfinished(self.folder, [CART_POLE], [protocol.METHODS["sac"]])), 5)

    def test_a_file_reads_back(self):
        file = result_files.path(self.folder, SWIMMER, DIAGONAL, 5001)
        result_files.write(file, run_of((1, 0.1), (13, -2.5)))
        self.assertEqual(file.read_text(), "trajectories,steps,return\n1,10,0.1\n13,130,-2.5\n")
        self.assertEqual(result_files.read(file), run_of((1, 0.1), (13, -2.5)))

    def test_a_run_is_cut_at_its_goal_and_its_budget(self):
        run = run_of((100, 150.0), (200, 191.0), (300, 200.0))
        self.assertEqual(result_files.until_goal(run, CART_POLE), run[:2])
        self.assertEqual(result_files.until_goal(run_of((499, 1.0), (503, 191.0)), CART_POLE), run_of((499, 1.0)))
        self.assertEqual(result_files.until_goal(run, SWIMMER), run)

    def test_tables_show_wins_and_losses(self):
        for seed, run in enumerate([run_of((9, 200.0)), run_of((17, 195.0)), run_of((497, 20.0))], start=5001):
            result_files.write(result_files.path(self.folder, CART_POLE, DIAGONAL, seed), run)
        result_files.write(result_files.path(self.folder, SWIMMER, DIAGONAL, 5001),
                           run_of((1, -0.2), (60, 30.0), (499, 41.6)))
        self.assertEqual(report.table(self.folder).splitlines(), [
            "| Cart Pole to 190 | seeds | reached | median | 90 % | steps |", "|---|---|---|---|---|---|",
            "| CMA-ES, diagonal | 3 | 2 | 17 (9 to never) | never | 170 |", "",
            "| Swimmer, return at | seeds | 50 | 100 | 200 | 300 | 500 | steps |", "|---|---|---|---|---|---|---|---|",
            "| CMA-ES, diagonal | 1 | 0 (0 to 0) | 30 (30 to 30) | 30 (30 to 30) | 30 (30 to 30) | 42 (42 to 42) | "
            "4990 |"])


class CommandLine(program.ProgramTest):
    def race(self, *arguments, **changes):
        return subprocess.run(["/usr/bin/python3", "-B", str(RACE / "race"), *arguments], cwd=self.folder, text=True,
                              capture_output=True, env=os.environ | changes, timeout=program.TIMEOUT)

    def test_runs_are_resumed_and_failures_are_told(self):
        stand_in = self.folder / "stand-in"
        stand_in.write_text(STAND_IN)
        stand_in.chmod(0o755)
        arguments = ("run", "--methods", "retropg", "--tasks", "cart-pole", "--seeds", "3", "--jobs", "2",
                     "--results", "r")
        first = self.race(*arguments, RETROPG=str(stand_in))
        self.assertEqual(first.returncode, 1)
        self.assertRegex(first.stdout, "of 3: cart-pole retropg 6003 failed")
        folder = self.folder / "r" / "cart-pole" / "retropg"
        self.assertEqual(program.listing(folder), ["6001.csv", "6002.csv", "6003.log"])
        self.assertIn("no such seed", (folder / "6003.log").read_text())
        self.assertEqual(result_files.read(folder / "6001.csv")[-1].trajectories, 8)
        self.assertEqual(result_files.read(folder / "6002.csv")[-1].trajectories, 4)
        stand_in.write_text(STAND_IN.replace("seed == 6003", "seed != 6003"))
        second = self.race(*arguments, RETROPG=str(stand_in))
        self.assertEqual((second.returncode, second.stdout), (0, "1 of 1: cart-pole retropg 6003\n"))
        self.assertEqual(program.listing(folder), ["6001.csv", "6002.csv", "6003.csv"])

    def test_bad_input_is_named_and_creates_nothing(self):
        for arguments, text in ((("run", "--tasks", "hopper"), "'hopper' is none of cart-pole"),
                                (("run", "--methods", "retropg,es"), "'es' is none of retropg"),
                                (("run", "--jobs", "0"), "'0' is not a whole number from 1 on")):
            result = self.race(*arguments, "--results", "r")
            self.assertEqual(result.returncode, 2)
            self.assertIn(text, result.stderr)
        result = self.race("report", "--results", "r")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no finished run", result.stderr)
        self.assertEqual(program.listing(self.folder), [])


class CartPole(program.ProgramTest):
    def test_a_step_is_that_of_the_formulas(self):
        # In decimals with 40 digits, from docs/environments.md; the force is clipped, and w^2 matters.
        expected_state = (0.104, 0.00439072396276085, 0.21, 3.33405400302968)
        for found, expected in zip(cart_pole.moved((0.1, 0.2, 0.15, 3.0), -20.0), expected_state):
            self.assertAlmostEqual(found, expected, 14)

    def test_the_peers_have_our_cart_pole(self):
        # A deterministic policy that falls at very different times. Two means of 4000 episodes differ by more than 5
        # standard errors for one seed in 1.7 million; a semi-implicit step would differ by 11.
        theta = [-5.0, -5.0, 40.0, -5.0]
        self.train("run", "--iterations", "1", "--batch", "1", "--env", "CartPole")
        file = self.folder / "run" / "policy" / "final.safetensors"
        data = file.read_bytes()
        body = 8 + struct.unpack("<Q", data[:8])[0]
        first, last = json.loads(data[8:body])["parameters"]["data_offsets"]
        file.write_bytes(data[:body + first] + struct.pack("<4d", *theta) + data[body + last:])
        ours = self.object_of(self.succeed("eval", file, "--episodes", "4000", "--json"))["deterministic"]
        returns = [self.episode(theta, random.Random(seed)) for seed in range(4000)]
        mean = sum(returns) / len(returns)
        deviation = math.sqrt(sum((value - mean)**2 for value in returns) / len(returns))
        self.assertGreater(deviation, 10.0)
        self.assertLess(abs(ours["mean"] - mean), 5.0 * deviation * math.sqrt(2.0 / len(returns)))

    def episode(self, theta, stream):
        state = tuple(stream.uniform(-cart_pole.RESET_RANGE, cart_pole.RESET_RANGE) for _ in range(4))
        for step in range(1, CART_POLE.horizon + 1):
            state = cart_pole.moved(state, sum(a * b for a, b in zip(theta, state)))
            if cart_pole.has_fallen(state):
                break
        return step


if __name__ == "__main__":
    unittest.main()
