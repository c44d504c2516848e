"""`retropg compare` and experiments that are comparisons, from outside.

RETROPG is the program, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import csv
import json
import os
import subprocess
import tomllib
import unittest

from program import TIMEOUT, ProgramTest, command, environment, run

SMALL = ("--env", "LQR", "--budget", 120, "--seeds", 3)
FILES = ["arms", "command.txt", "curves.csv", "figure.dat", "figure.gp", "figure.pdf", "figure.png", "figure.svg",
         "pairs.csv", "plan.toml", "provenance.json", "report.html", "runs", "runs.csv", "scores.csv", "summary.csv",
         "summary.json", "table.tex", "timing.csv"]
WITH_CLOCKS_OR_COMMAND = {"timing.csv", "timing.jsonl", "provenance.json", "command.txt", "report.html"}


class CompareTest(ProgramTest):
    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def listing(self, folder="."):
        return sorted(path.name for path in (self.folder / folder).iterdir())


class GoodUse(CompareTest):
    def test_a_variance_replaces_the_width_of_the_arms_that_read_it(self):
        self.succeed("compare", "--env", "CartPole", "--budget", 20, "--seeds", 2, "--algos", "rpg,nes", "--set",
                     "policy.variance=0.1", "--preset", "own", "--out", "c")
        policies = {arm: tomllib.loads((self.folder / "c" / "arms" / f"{arm}.toml").read_text())["policy"]
                    for arm in ("rpg", "nes")}
        self.assertEqual(policies["rpg"]["variance"], 0.1)
        self.assertNotIn("width", policies["rpg"])
        self.assertEqual(policies["nes"]["width"], 0.7)

    def test_says_what_comes_from_presets_once_for_all_that_take_the_same(self):
        for more in ((), ("--json",)):
            result = self.succeed("compare", "--env", "CartPole", "--budget", 20, "--seeds", 2, "--preset", "own",
                                  "--algos", "rpg,gpomdp,rpg:policy.width=0.1,nes", "--sweep", "algo.batch=2,5", *more)
            said = [line.split(" (")[0] for line in result.stderr.splitlines()]
            cart_pole = "on CartPoleContinuous-v0:"
            self.assertEqual(said, [
                f"retropg: preset for rpg, gpomdp {cart_pole} policy.width=0.05477225575051661 optimizer.trust=0.1",
                f"retropg: preset for rpg:policy.width=0.1 {cart_pole} optimizer.trust=0.1",
                f'retropg: preset for nes {cart_pole} policy.scaling="pilot" policy.width=0.7 algo.window="all" '
                "nes.gain=2.0"])
            self.assertEqual(["the paper" in line for line in result.stderr.splitlines()], [True, True, False])

    def test_writes_the_promised_files_and_they_agree(self):
        report = json.loads(self.succeed("compare", *SMALL, "--algos", "rpg,gpomdp,rpg:algo.window=3", "--threshold",
                                         -60, "--out", "c", "--json").stdout)
        self.assertEqual(self.listing("c"), FILES)
        self.assertTrue((self.folder / "c" / "figure.png").read_bytes().startswith(b"\x89PNG"))
        labels = ["rpg", "gpomdp", "rpg:algo.window=3"]
        self.assertEqual([arm["arm"] for arm in report["arms"]], labels)
        self.assertEqual({arm["reference"] for arm in report["arms"]}, {"gpomdp"})
        self.assertEqual(report["folder"], "c")
        self.assertGreater(report["seconds"], 0.0)

        stored = json.loads((self.folder / "c" / "summary.json").read_text())
        self.assertNotIn("seconds", stored)
        self.assertEqual(stored["pairs"], report["pairs"])
        for arm in report["arms"]:
            self.assertEqual(len(arm["areas"]), 3)
            self.assertAlmostEqual(arm["area"]["mean"], sum(arm["areas"]) / 3, places=9)
            self.assertAlmostEqual(arm["area"]["t_half"], 4.302653 * arm["area"]["standard_error"], places=3)
            self.assertAlmostEqual(arm["area"]["normal_half"], 1.959964 * arm["area"]["standard_error"], places=3)

        scores = self.rows("c/scores.csv")
        self.assertEqual([(row["arm"], row["seed"]) for row in scores],
                         [(label, str(seed)) for label in labels for seed in (1, 2, 3)])
        # A run's area is its mean return: equal batches here.
        runs = self.rows("c/runs.csv")
        for row in scores:
            returns = [float(run["return_mean"]) for run in runs if (run["arm"], run["seed"]) == (row["arm"], row["seed"])]
            self.assertAlmostEqual(float(row["area"]), sum(returns) / len(returns), places=9)
        self.assertEqual(max(int(run["trajectories"]) for run in runs), 120)

        pairs = {(row["candidate"], row["reference"]): row for row in self.rows("c/pairs.csv")}
        self.assertEqual(len(pairs), 6)
        for (candidate, reference), row in pairs.items():
            back = pairs[reference, candidate]
            self.assertAlmostEqual(float(row["probability"]) + float(back["probability"]), 1.0, places=12)
            self.assertAlmostEqual(float(row["difference"]), -float(back["difference"]), places=9)
            self.assertEqual(row["speedup_bootstrap_low"] != "", reference == "gpomdp")
        curves = self.rows("c/curves.csv")
        self.assertEqual(len(curves), 3 * 120)
        self.assertEqual(curves[119]["trajectories"], "120")

    def test_train_repeats_a_run(self):
        self.succeed("compare", *SMALL, "--algos", "bh-pg:algo.batch=7,gpomdp", "--seed", 5, "--out", "c")
        arms = self.listing("c/arms")
        self.assertEqual(arms, ["bh-pg_algo.batch=7.toml", "gpomdp.toml"])
        self.succeed("train", "--config", "c/arms/" + arms[0], "--seed", 6, "--out", "r")
        progress = self.rows("r/progress.csv")
        runs = [run for run in self.rows("c/runs.csv") if (run["arm"], run["seed"]) == ("bh-pg:algo.batch=7", "6")]
        self.assertEqual([(row["trajectories"], row["return_mean"]) for row in progress],
                         [(run["trajectories"], run["return_mean"]) for run in runs])
        self.assertEqual(progress[-1]["trajectories"], "120", "the last batch is cut to the budget")

    def test_the_table_says_what_its_intervals_are(self):
        text = self.succeed("compare", *SMALL, "--algos", "all", "--threshold", -50, "--reference", "reinforce", "--out",
                            "c").stdout
        for words in ("n = 3 seeds (1 to 3)", "95 % Student t", "95 % normal", "bootstrap", "IQM", "ties count half",
                      "reference", "to -50", "c/report.html"):
            self.assertIn(words, text)
        names = [row["arm"] for row in self.rows("c/summary.csv")]
        listed = json.loads(self.succeed("list", "--json").stdout)["algorithms"]
        self.assertLessEqual(set(names), {entry["name"] for entry in listed})
        self.assertIn("rpg", names)
        for name in names:
            self.assertIn(f"\n  {name} ", text)
        areas = {row["arm"]: float(row["area"]) for row in self.rows("c/summary.csv")}
        order = [line.split()[0] for line in text.split("\n\n")[1].splitlines()[1:]]
        self.assertEqual(order, sorted(names, key=lambda name: -areas[name]))

    def test_it_starts_no_more_threads_than_its_affinity_mask_has_processors(self):
        one = str(min(os.sched_getaffinity(0)))
        words = ["taskset", "-c", one, *command("compare", *SMALL, "--algos", "rpg,gpomdp", "--out", "c")]
        result = subprocess.run(words, cwd=self.folder, env=environment(), timeout=TIMEOUT, text=True,
                                capture_output=True, check=True)
        self.assertRegex(result.stdout, r"\b1 thread\b")

    def test_threads_do_not_change_a_byte(self):
        for threads in (1, 2):
            self.succeed("compare", *SMALL, "--algos", "all", "--threads", threads, "--out", f"t{threads}")
        one, two = self.folder / "t1", self.folder / "t2"
        names = sorted(str(path.relative_to(one)) for path in one.rglob("*") if path.is_file())
        self.assertEqual(names, sorted(str(path.relative_to(two)) for path in two.rglob("*") if path.is_file()))
        for name in names:
            if name.split("/")[-1] not in WITH_CLOCKS_OR_COMMAND:
                self.assertEqual((one / name).read_bytes(), (two / name).read_bytes(), name)

    def test_settings_come_from_file_flags_and_arms(self):
        (self.folder / "base.toml").write_text("[algo]\nbatch = 4\nwindow = 2\n[train]\nbudget = 40\nseed = 9\n")
        self.succeed("compare", "--config", "base.toml", "--env", "Bandit", "--window", 3, "--set",
                     "optimizer.rate=0.5", "--algos", "rpg,miw:algo.batch=5", "--seeds", 2, "--out", "c")
        rpg = tomllib.loads((self.folder / "c/arms/rpg.toml").read_text())
        miw = tomllib.loads((self.folder / "c/arms/miw-pg_algo.batch=5.toml").read_text())
        self.assertEqual((rpg["algo"]["batch"], rpg["algo"]["window"], rpg["optimizer"]["rate"]), (4, 3, 0.5))
        self.assertEqual((miw["algo"]["batch"], miw["algo"]["window"]), (5, 3))
        self.assertEqual((rpg["train"]["budget"], rpg["train"]["seed"]), (40, 9))
        self.assertEqual({row["seed"] for row in self.rows("c/scores.csv")}, {"9", "10"})

    def test_names_its_folder(self):
        self.succeed("compare", *SMALL, "--algos", "rpg,gpomdp")
        self.assertRegex(self.listing("results")[0], r"^compare__LinearQuadratic-v0__\d{8}T\d{6}Z$")


class BadInput(CompareTest):
    def check(self, arguments, hint):
        before = self.listing()
        result = run("compare", *arguments, cwd=self.folder)
        self.assertEqual(result.returncode, 2, f"{arguments}: {result.stderr}")
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, r"\Aretropg: [^\n]+\n\Z")
        self.assertIn(hint, result.stderr)
        self.assertEqual(self.listing(), before, "nothing is created")

    def test_is_refused_with_one_line(self):
        good = ("--env", "LQR", "--algos", "rpg,gpomdp", "--budget", 50)
        (self.folder / "taken").mkdir()
        (self.folder / "taken" / "mine").touch()
        for arguments, hint in [
                (("--env", "LQR", "--budget", 50, "--algos", "rpg,gpomdb"), "did you mean 'gpomdp'?"),
                (("--env", "LQR", "--budget", 50, "--algos", ""), "empty item"),
                (("--env", "LQR", "--budget", 50, "--algos", "rpg,,gpomdp"), "empty item"),
                (("--env", "LQR", "--budget", 50, "--algos", "rpg,rt-pg"), "arm 'rpg' is named twice"),
                (("--env", "LQR", "--budget", 50, "--algos", "all,rpg"), "arm 'rpg' is named twice"),
                (("--env", "LQR", "--budget", 50, "--algos", "rpg,rpg:algo.window=8"), "same configuration"),
                (("--env", "LQR", "--budget", 50, "--algos", "rpg:algo.windw=3"),
                 "arm 'rpg:algo.windw=3': unknown key 'algo.windw'; did you mean 'algo.window'?"),
                (("--env", "LQR", "--budget", 50, "--algos", "rpg:algo.window"), "arm 'rpg:algo.window': "),
                (("--env", "LQR", "--budget", 50, "--algos", "rpg:env.id=Bandit"), "may not change the environment"),
                (("--env", "LQR", "--algos", "rpg"), "--budget is missing"),
                ((*good[:4], "--budget", 0), "--budget must be at least 1"),
                ((*good[:4], "--budget", -5), "--budget must be at least 1"),
                ((*good[:4], "--budget", "many"), "--budget"),
                ((*good, "--seeds", 1), "--seeds must be a whole number from 2 to 100000"),
                ((*good, "--seeds", 100001), "--seeds"),
                ((*good, "--seed", -1), "train.seed"),
                ((*good, "--seed", 2**63 - 2), "2^63"),
                ((*good, "--reference", "bh-pg"), "unknown reference 'bh-pg'"),
                ((*good, "--threshold", "nan"), "threshold"),
                ((*good, "--threshold", "high"), "--threshold"),
                ((*good, "--threads", 1025), "--threads"),
                ((*good, "--set", "train.iterations=5"), "--budget"),
                ((*good, "--set", "algo.name=rpg"), "--algos"),
                ((*good, "--set", "algo.windw=5"), "did you mean 'algo.window'?"),
                ((*good, "--set", "policy.variance=[1, 2, 3]"), "policy.variance"),
                ((*good, "--out", "taken"), "taken: already exists"),
                ((*good, "--keep", "polices"), "unknown word 'polices'; did you mean 'policies'?"),
                ((*good, "--keep", ""), "unknown word ''"),
                ((*good, "--keep", "policies,all"), "unknown word 'all'"),
                ((*good, "--set", "log.metrics=2"), "--keep metrics"),
                ((*good, "--algo", "rpg"), "did you mean '--algos'?"),
                (("--env", "LQ", "--algos", "rpg", "--budget", 50), "did you mean 'LQR'?")]:
            with self.subTest(arguments=arguments):
                self.check(arguments, hint)


class Places(CompareTest):
    def test_a_folder_that_cannot_be_made_is_refused_before_the_runs(self):
        result = run("compare", "--env", "CartPole", "--algos", "rpg", "--budget", 10**10, "--seeds", 2, "--out",
                     "/proc/retropg", cwd=self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"^retropg: /proc/retropg: cannot be created.*\n$")


if __name__ == "__main__":
    unittest.main(verbosity=1)
