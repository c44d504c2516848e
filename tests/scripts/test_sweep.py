"""`retropg compare` on several environments and with values to pick from, from outside.

RETROPG is the program, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import csv
import json
import signal
import time
import tomllib
import unittest

from program import TIMEOUT, run
from results import ResultsTest

SWEEP = ("compare", "--env", "LQR", "--budget", 60, "--seeds", 3, "--algos", "rpg,gpomdp,pois", "--pick-seeds", 2,
         "--sweep", "optimizer.rate=0.01,0.1", "--sweep", "algo.window=2,4")
SEVERAL = ("compare", "--env", "CartPole,LQR", "--budget", 60, "--seeds", 3, "--algos", "rpg,gpomdp")
BOTH = (*SEVERAL, "--sweep", "optimizer.rate=0.01,0.1")
TABLES = ["curves.csv", "figure.dat", "figure.gp", "figure.pdf", "figure.png", "figure.svg", "pairs.csv", "runs.csv",
          "scores.csv", "summary.csv", "summary.json", "table.tex", "timing.csv"]
ALWAYS = ["arms", "command.txt", "plan.toml", "provenance.json", "report.html", "runs"]
AGGREGATE = ["aggregate-pairs.csv", "aggregate.csv", "normalized.csv", "profiles.csv", "profiles.dat", "profiles.gp",
             "profiles.pdf", "profiles.png", "profiles.svg", "summary.json"]


class SweepTest(ResultsTest):
    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def names(self, folder):
        return sorted(path.name for path in (self.folder / folder).iterdir())


class Picking(SweepTest):
    def test_the_best_on_some_seeds_is_run_on_others(self):
        report = self.object_of(self.succeed(*SWEEP, "--out", "c", "--json"))
        self.assertEqual(self.names("c"), sorted([*ALWAYS, *TABLES, "sweep.csv"]))
        tried = self.rows("c/sweep.csv")
        self.assertEqual([row["label"] for row in tried],
                         ["rpg:optimizer.rate=0.01:algo.window=2", "rpg:optimizer.rate=0.01:algo.window=4",
                          "rpg:optimizer.rate=0.1:algo.window=2", "rpg:optimizer.rate=0.1:algo.window=4",
                          "gpomdp:optimizer.rate=0.01", "gpomdp:optimizer.rate=0.1", "pois"])
        for arm in ("rpg", "gpomdp"):
            areas = {row["setting"]: float(row["area"]) for row in tried if row["arm"] == arm}
            picked = [row for row in tried if row["arm"] == arm and row["picked"] == "true"]
            self.assertEqual([row["setting"] for row in picked], [max(areas, key=areas.get)])
            # All settings have the seeds for picking, the picked one has the others as well.
            for row in tried:
                if row["arm"] == arm:
                    folder = "c/runs/" + row["label"].replace(":", "_")
                    self.assertEqual(self.names(folder), ["1", "2"] + (["3", "4", "5"] if row in picked else []))
            # The reported runs are those of `train` with the picked setting.
            seeds = [row["seed"] for row in self.rows("c/scores.csv") if row["arm"] == arm]
            self.assertEqual(seeds, ["3", "4", "5"])
            self.succeed("train", "--config", "c/arms/" + picked[0]["label"].replace(":", "_") + ".toml", "--seed", 4,
                         "--out", arm)
            progress = [(row["trajectories"], row["return_mean"]) for row in self.rows(arm + "/progress.csv")]
            self.assertEqual(progress, [(row["trajectories"], row["return_mean"]) for row in self.rows("c/runs.csv")
                                        if (row["arm"], row["seed"]) == (arm, "4")])
        self.assertEqual([row["runs"] for row in tried], ["2"] * 6 + ["0"])
        self.assertEqual(self.names("c/runs/pois"), ["3", "4", "5"], "nothing to pick")

        sweep = report["sweep"]
        self.assertEqual((sweep["first_seed"], sweep["seeds"], report["first_seed"]), (1, 2, 3))
        self.assertEqual([arm["settings"] for arm in sweep["arms"]], [4, 2, 1])
        stored = json.loads((self.folder / "c/summary.json").read_text())
        self.assertEqual(stored["sweep"], sweep)

    def test_the_table_says_how_many_settings_were_tried(self):
        text = self.succeed(*SWEEP, "--out", "c").stdout
        self.assertRegex(text, r"Settings were tried on seeds 1 to 2\.")
        self.assertIn("n = 3 seeds (3 to 5)", text)
        self.assertRegex(text, r"\n  algorithm +settings tried +picked +area when picked +area when run again\n")
        self.assertRegex(text, r"\n  rpg +4 +optimizer\.rate=0\.1:algo\.window=[24] ")
        self.assertRegex(text, r"\n  pois +1 +- +- ")
        self.assertRegex(text, r"\n  setting +mean area +standard error +picked\n")
        self.assertRegex(text, r"\n  gpomdp:optimizer\.rate=0\.01 +-[\d.]+ +[\d.]+\n")
        self.assertRegex(text, r"\n  gpomdp:optimizer\.rate=0\.1 +-[\d.]+ +[\d.]+ +yes\n")

    def test_the_cost_is_that_of_all_runs(self):
        report = self.succeed(*SWEEP, "--out", "c", "--threads", 1).stdout
        self.assertRegex(report, r"\n21 runs, \d+\.\d million steps in \d+\.\d\d s on 1 thread\.\n", "12 of them for picking")

    def test_more_seeds_can_be_added_and_other_settings_are_refused(self):
        words = list(SWEEP)
        self.succeed(*words, "--out", "c")
        before = {row["label"]: row for row in self.rows("c/sweep.csv")}
        words[words.index("--seeds") + 1] = 4
        self.assertIn("c: has 21 of 24 runs", self.succeed(*words, "--out", "c").stderr)
        self.assertEqual({row["label"]: row for row in self.rows("c/sweep.csv")}, before)
        self.assertEqual(len(self.rows("c/scores.csv")), 12)
        for change, hint in [(("--pick-seeds", 3), "was made with --pick-seeds 2, not 3"),
                             (("--sweep", "optimizer.rate=0.01,0.2"), "was made without arm 'rpg:optimizer.rate=0.2:")]:
            changed = list(words)
            changed[changed.index(change[0]) + 1] = change[1]
            result = run(*changed, "--out", "c", cwd=self.folder)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(hint, result.stderr)


class Several(SweepTest):
    def test_writes_a_folder_per_environment_and_the_aggregate(self):
        report = self.object_of(self.succeed(*SEVERAL, "--out", "c", "--json"))
        ids = ["CartPoleContinuous-v0", "LinearQuadratic-v0"]
        self.assertEqual(self.names("c"), sorted([*ALWAYS, *AGGREGATE, *ids]))
        for name in ids:
            self.assertEqual(self.names("c/" + name), TABLES)
            own = SEVERAL[:2] + (name,) + SEVERAL[3:]
            self.succeed(*own, "--out", name)
            for table in ("scores.csv", "summary.csv", "pairs.csv", "curves.csv"):
                self.assertEqual((self.folder / "c" / name / table).read_bytes(),
                                 (self.folder / name / table).read_bytes(), "as alone")
        aggregate = report["aggregate"]
        self.assertEqual([one["environment"] for one in aggregate["environments"]], ids)
        cart_pole = aggregate["environments"][0]
        self.assertEqual(cart_pole["best_return"], 200)
        areas = [float(row["area"]) for row in self.rows("c/CartPoleContinuous-v0/scores.csv") if row["arm"] == "rpg"]
        low, high = cart_pole["random_return"], cart_pole["best_return"]
        self.assertEqual(aggregate["arms"][0]["scores"][0], [(area - low) / (high - low) for area in areas])
        # Of six pooled scores the middle half is the third, the fourth, and half of their neighbors.
        for row in self.rows("c/aggregate.csv"):
            scores = sorted(float(one["score"]) for one in self.rows("c/normalized.csv") if one["arm"] == row["arm"])
            iqm = (0.5 * scores[1] + scores[2] + scores[3] + 0.5 * scores[4]) / 3
            self.assertAlmostEqual(float(row["iqm"]), iqm, places=12)
            self.assertLessEqual(float(row["iqm_low"]), iqm)
        pair = self.rows("c/aggregate-pairs.csv")[0]
        means = [float(row["probability"]) for name in ids for row in self.rows(f"c/{name}/pairs.csv")
                 if (row["candidate"], row["reference"]) == ("rpg", "gpomdp")]
        self.assertAlmostEqual(float(pair["probability"]), sum(means) / 2, places=12)
        for row in self.rows("c/profiles.csv"):
            above = [[float(one["score"]) > float(row["score"]) for one in self.rows("c/normalized.csv")
                      if (one["arm"], one["environment"]) == (row["arm"], name)] for name in ids]
            if row["score"] in ("0", "0.25", "0.5"):
                self.assertAlmostEqual(float(row["fraction"]), sum(sum(one) / 3 for one in above) / 2, places=12)
        self.assertTrue((self.folder / "c/profiles.png").read_bytes().startswith(b"\x89PNG"))
        self.assertIn("pointwise 95 % bootstrap intervals", (self.folder / "c/profiles.svg").read_text())

    def test_one_table_after_the_other(self):
        text = self.succeed(*SEVERAL, "--out", "c").stdout
        places = [text.index(words) for words in ("Comparison on CartPoleContinuous-v0", "Comparison on Linear",
                                                  "n = 3 seeds (1 to 3)", "All 2 environments together",
                                                  "CartPoleContinuous-v0: 0 is 27.85, 1 is 200")]
        self.assertEqual(places, sorted(places))
        self.assertEqual(text.count("n = 3 seeds"), 1, "one legend for all")

    def test_is_repeatable_for_any_number_of_threads_and_after_kills(self):
        self.succeed(*BOTH, "--threads", 1, "--out", "whole")
        wanted = self.contents("whole")
        self.succeed(*BOTH, "--threads", 2, "--out", "two")
        self.check_same("two", wanted)
        for moment in (0.02, 0.05, 0.1, 0.2, 0.3):
            process = self.start(*BOTH, "--out", "k")
            time.sleep(moment)
            process.kill()
            process.communicate(timeout=TIMEOUT)
        self.succeed(*BOTH, "--out", "k")
        self.check_same("k", wanted)
        self.assertIn("k: has 36 of 36 runs", self.succeed(*BOTH, "--out", "k").stderr, "24 for picking, 12 after")
        self.check_same("k", wanted)

    def test_a_signal_says_how_to_go_on(self):
        endless = ("compare", "--env", "CartPole,LQR", "--algos", "rpg,gpomdp", "--budget", 10**9, "--seeds", 2,
                   "--sweep", "optimizer.rate=0.01,0.1", "--out", "c")
        process = self.start(*endless)
        self.wait_for(lambda: list(self.folder.glob("c/runs/*/*/checkpoints/*.safetensors")))
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=TIMEOUT)[1]
        self.assertEqual(process.returncode, 130)
        self.assertIn("stopped by SIGINT after 0 of 24 runs; go on with: ", error)

    def test_the_folder_has_a_name_and_doctor_knows_it(self):
        self.succeed(*SEVERAL)
        name = self.names("results")[0]
        self.assertRegex(name, r"^compare__several__\d{8}T\d{6}Z$")
        self.assertIn("12 runs: 12 done", self.succeed("doctor", "results/" + name).stdout)
        plan = tomllib.loads((self.folder / "results" / name / "plan.toml").read_text())
        self.assertEqual([arm["label"] for arm in plan["arm"]],
                         ["CartPoleContinuous-v0/rpg", "CartPoleContinuous-v0/gpomdp", "LinearQuadratic-v0/rpg",
                          "LinearQuadratic-v0/gpomdp"])


class BadInput(SweepTest):
    def check(self, arguments, hint):
        result = run("compare", *arguments, "--budget", 50, cwd=self.folder)
        self.assertEqual(result.returncode, 2, f"{arguments}: {result.stderr}")
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, r"\Aretropg: [^\n]+\n\Z")
        self.assertIn(hint, result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [], "nothing is created")

    def test_sweeps(self):
        good = ("--env", "LQR", "--algos", "rpg,gpomdp")
        for arguments, hint in [
                (("--sweep", "optimizer.rat=1,2"), "unknown key 'optimizer.rat'; did you mean 'optimizer.rate'?"),
                (("--sweep", "optimizer.rate"), "write it as key=value,value"),
                (("--sweep", ""), "write it as key=value,value"),
                (("--sweep", "optimizer.rate=0.1"), "needs at least two values"),
                (("--sweep", "optimizer.rate=0.1,0.10"), "the value 0.1 is given twice"),
                (("--sweep", "optimizer.rate=0.1,,0.2"), "a value is empty"),
                (("--sweep", "optimizer.rate=0.1,-1"), "optimizer.rate must be a number"),
                (("--sweep", "optimizer.rate=1,2", "--sweep", "optimizer.rate=3,4"), "is given twice"),
                (("--sweep", "pois.delta=0.1,0.2"), "no algorithm of this comparison reads pois.delta"),
                (("--sweep", "checkpoint.every=1,2"), "no algorithm of this comparison reads checkpoint.every"),
                (("--sweep", "train.seed=1,2"), "use --seeds and --pick-seeds"),
                (("--sweep", "train.budget=1,2"), "use --budget"),
                (("--sweep", "algo.name=rpg,gpomdp"), "name them in --algos"),
                (("--sweep", "env.discount=0.9,1"), "may not change the environment"),
                (("--sweep", "algo.batch=1,2", "--set", "algo.baseline=mean"), "algo.batch=1': algo.baseline"),
                (("--pick-seeds", 3), "--pick-seeds: there is nothing to pick without --sweep"),
                (("--sweep", "algo.batch=1,2", "--pick-seeds", 1), "--pick-seeds must be a whole number from 2"),
                (("--sweep", "algo.batch=1,2", "--pick-seeds", "few"), "--pick-seeds")]:
            with self.subTest(arguments=arguments):
                self.check((*good, *arguments), hint)

    def test_environments(self):
        for arguments, hint in [
                (("--env", "CartPole,", "--algos", "rpg"), "--env has an empty item"),
                (("--env", "CartPole,LQ", "--algos", "rpg"), "did you mean 'LQR'?"),
                (("--env", "CartPole,CartPoleContinuous-v0", "--algos", "rpg"), "names CartPoleContinuous-v0 twice"),
                (("--env", "CartPole,LQR", "--algos", "rpg", "--set", "env.horizon=50"),
                 "CartPoleContinuous-v0 has no reference returns for env.horizon = 50"),
                (("--env", "CartPole,LQR", "--algos", "rpg", "--set", "env.discount=0.9"),
                 "and env.discount = 0.9, by which"),
                (("--env", "CartPole,LQR", "--algos", "rpg", "--threshold", 100), "--threshold is a return"),
                (("--env", "CartPole,LQR", "--algos", "rpg", "--set", "policy.variance=[1, 2]"), "policy.variance")]:
            with self.subTest(arguments=arguments):
                self.check(arguments, hint)

    def test_one_environment_needs_no_reference_returns(self):
        self.succeed("compare", "--env", "CartPole", "--algos", "rpg,gpomdp", "--budget", 40, "--seeds", 2, "--set",
                     "env.horizon=20", "--sweep", "algo.batch=2,4", "--out", "c")


if __name__ == "__main__":
    unittest.main(verbosity=1)
