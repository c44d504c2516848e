"""What the command line forgives, and what it refuses with a hint: names in any case, habits, keys that nothing reads;
keys explained; help and tables that fit.

RETROPG is the program, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

from program import TIMEOUT, ProgramTest, command, configuration_keys, environment, listing, run

COMMANDS = ("train", "resume", "doctor", "eval", "list", "compare", "reproduce", "plot")


class FlagsTest(ProgramTest):
    def check_refused(self, *arguments, hint):
        """Exit status 2, one line that holds the hint, nothing created."""
        result = run(*arguments, cwd=self.folder)
        where = f"{arguments}\nstatus {result.returncode}\n{result.stderr}"
        self.assertEqual(result.returncode, 2, where)
        self.assertEqual(result.stdout, "", where)
        self.assertEqual(len(result.stderr.splitlines()), 1, where)
        self.assertIn(hint, result.stderr, where)
        self.assertEqual(listing(self.folder), [], where)


class Names(FlagsTest):
    def test_any_case_is_taken_and_the_canonical_name_kept(self):
        self.train("r", "--env", "lqr", "--algo", "RPG", "--policy", "Linear", "--iterations", 1, "--set",
                   "optimizer.kind=ADAM", "--window", "All")
        configuration = self.configuration("r")
        self.assertEqual(configuration["env"]["id"], "LinearQuadratic-v0")
        self.assertEqual(configuration["algo"]["name"], "rpg")
        self.assertEqual(configuration["algo"]["window"], "all")
        self.assertEqual(configuration["policy"]["kind"], "linear-gaussian")
        self.assertEqual(configuration["optimizer"]["kind"], "adam")

    def test_comparisons_know_them_too(self):
        summary = self.object_of(self.succeed("compare", "--env", "bandit", "--algos", "RPG,Gpomdp:algo.batch=5",
                                              "--reference", "GPOMDP:algo.batch=5", "--budget", 20, "--seeds", 2,
                                              "--keep", "none", "--json"))
        self.assertEqual({arm["arm"] for arm in summary["arms"]}, {"rpg", "gpomdp:algo.batch=5"})
        self.assertEqual({arm["reference"] for arm in summary["arms"]}, {"gpomdp:algo.batch=5"})

    def test_policies_metrics_and_what_is_kept_too(self):
        self.train("r", "--iterations", 2)
        report = self.object_of(self.succeed("eval", "r", "--policy", "FINAL", "--episodes", 2, "--json"))
        self.assertEqual(report["policy"], "r/policy/final.safetensors")
        report = self.object_of(self.succeed("plot", "r", "--metric", "RETURN,Return", "--json"))
        self.assertEqual(report["metrics"], ["return"])
        self.succeed("compare", "--env", "Bandit", "--algos", "rpg", "--budget", 20, "--seeds", 2, "--keep", "NONE",
                     "--out", "c")
        self.assertIn("keep = 'none'", (self.folder / "c/plan.toml").read_text())

    def test_the_word_for_no_budget_too(self):
        self.train("r", "--budget", "None", "--iterations", 2)
        self.assertIn("budget = 0\n", (self.folder / "r/config.toml").read_text())

    def test_experiments_too(self):
        self.check_refused("reproduce", "TABLE2", "--runs", 1, hint="--runs must be a whole number from 2")
        self.check_refused("reproduce", "TABLE22", hint="did you mean 'table2'?")


class Budgets(FlagsTest):
    def test_none_is_refused_as_0(self):
        for budget in ("0", "00", "1.5", "ten"):
            self.check_refused("train", "--env", "CartPole", "--budget", budget,
                               hint="--budget: must be a whole number of at least 1, or none for no limit")


class Habits(FlagsTest):
    def test_flags_of_other_programs_get_a_hint(self):
        rate = "--set optimizer.rate=VALUE, or nes.gain=VALUE for nes"
        for command, flag, hint in (("train", "--lr", rate),
                                    ("train", "--learning-rate=0.1", rate),
                                    ("train", "--learning_rate", rate),
                                    ("train", "--timesteps", "--steps COUNT"),
                                    ("train", "--total-timesteps", "--steps COUNT"),
                                    ("train", "--seeds", "--seed NUMBER"),
                                    ("train", "--gamma", "--set env.discount=VALUE"),
                                    ("compare", "--total-timesteps", "--budget COUNT"),
                                    ("compare", "--steps", "--budget COUNT"),
                                    ("compare", "--lr", rate)):
            self.check_refused(command, flag, "3", hint=f"unknown option '{flag.split('=')[0]}'; write {hint}")
        self.check_refused("compare", "--iterations", "3", hint="write --budget COUNT, in trajectories")
        self.check_refused("reproduce", "table2", "--seeds", "3", hint="write --runs COUNT")
        self.check_refused("eval", "r", "--n-eval-episodes", "3", hint="write --episodes COUNT")

    def test_keys_of_other_programs_get_a_hint(self):
        self.check_refused("train", "--set", "lr=0.1", hint="--set lr=0.1: unknown key 'lr'; did you mean 'optimizer.rate'?")
        self.check_refused("list", "timesteps", hint="unknown key 'timesteps'; did you mean 'train.steps'?")

    def test_names_without_their_flag_get_it(self):
        for command, name, flag in (("train", "cartpole", "--env"), ("train", "rpg", "--algo"),
                                    ("compare", "RPG", "--algos"), ("train", "mlp", "--policy")):
            self.check_refused(command, name, hint=f"'{name}' is not expected here; write {flag} {name}")
        self.check_refused("eval", "r", "CartPole", hint="not expected: CartPole; see 'retropg eval --help'")
        self.check_refused("train", "-e", "CartPole", hint="unknown option '-e'")

    def test_errors_quote_what_was_written(self):
        self.check_refused("train", "--steps", "-5", hint="--steps -5: train.steps must be a whole number from 0")
        self.check_refused("train", "--window", "al", hint="--window al: algo.window must be a whole number")
        self.check_refused("train", "--env", "", hint="--env needs a value")
        self.train("r", "--iterations", 1)
        self.assertIn("--lanes 5: train.lanes must be a multiple of 4", run("resume", "r", "--lanes", 5, cwd=self.folder).stderr)


class UnreadKeys(FlagsTest):
    def test_of_a_run_are_refused(self):
        read = "gpomdp does not read algo.window with these settings (read in [algo]: batch, baseline)"
        self.check_refused("train", "--algo", "gpomdp", "--window", 4, hint="--window 4: " + read)
        self.check_refused("train", "--algo", "gpomdp", "--window", 8, hint="--window 8: " + read)  # the default
        self.check_refused("train", "--algo", "gpomdp", "--set", "algo.window=4", hint="--set algo.window=4: " + read)
        self.check_refused("train", "--algo", "pois", "--set", "optimizer.rate=0.1",
                           hint="pois does not read optimizer.rate")
        self.check_refused("train", "--set", "policy.hidden=[4]", hint="linear-gaussian does not read policy.hidden")
        self.check_refused("train", "--set", "lqr.start_range=2", hint="CartPoleContinuous-v0 does not read lqr.start")
        self.check_refused("train", "--set", "baseline.rate=0.1", hint='the baseline "none" does not read')
        for algorithm in ("pgpe", "pois"):
            self.check_refused("train", "--algo", algorithm, "--set", "optimizer.trust=0.1",
                               hint=f"{algorithm} does not read optimizer.trust")

    def test_of_evaluations_are_refused_without_them(self):
        episodes = ("--set", "train.eval_episodes=5")
        self.check_refused("train", *episodes, hint="(read with train.eval_every above 0)")
        self.check_refused("compare", "--env", "Bandit", "--algos", "rpg", "--budget", 20, "--seeds", 2, *episodes,
                           hint="(read with train.eval_every above 0)")
        (self.folder / "c.toml").write_text("[train]\neval_episodes = 5\n")
        self.train("r", "--config", "c.toml", "--iterations", 1)
        self.train("s", *episodes, "--set", "train.eval_every=1", "--iterations", 1)

    def test_of_a_file_are_not(self):
        (self.folder / "c.toml").write_text("[algo]\nname = 'gpomdp'\nwindow = 4\n[pois]\ndelta = 0.5\n")
        self.train("r", "--config", "c.toml", "--iterations", 1)

    def test_of_an_arm_are_refused_and_of_all_arms_if_none_reads_them(self):
        common = ("compare", "--env", "Bandit", "--budget", 20, "--seeds", 2)
        self.check_refused(*common, "--algos", "rpg,gpomdp:algo.window=4",
                           hint="arm 'gpomdp:algo.window=4': gpomdp does not read algo.window")
        self.check_refused(*common, "--algos", "gpomdp,reinforce", "--window", 4,
                           hint="--window 4: no algorithm of this comparison reads algo.window (read in [algo]: batch")
        self.check_refused(*common, "--algos", "gpomdp,pois", "--set", "rnpg.damping=4",
                           hint="no algorithm of this comparison reads rnpg.damping (read: ")
        self.check_refused(*common, "--algos", "pois", "--sweep", "optimizer.rate=0.1,0.2",
                           hint="sweep optimizer.rate: no algorithm of this comparison reads optimizer.rate")
        self.check_refused(*common, "--algos", "gpomdp,reinforce", "--sweep", "optimizer.rate=0.1,0.2", "--window", 4,
                           hint="--window 4: no algorithm of this comparison reads algo.window")
        self.succeed(*common, "--algos", "rpg,gpomdp", "--window", 4, "--keep", "none")

    def test_of_a_preset_give_way_to_a_variance(self):
        self.succeed("train", "--preset", "own", "--env", "LQR", "--algo", "pgpe", "--budget", 20,
                     "--set", "hyperpolicy.variance=0.25", "--out", "r")
        written = (self.folder / "r/config.toml").read_text()
        self.assertIn("variance = 0.25", written)
        self.assertIn("# width: the variances", written)
        self.succeed("compare", "--preset", "own", "--env", "LQR", "--algos", "rpg:policy.variance=0.25,nes",
                     "--budget", 20, "--seeds", 2, "--keep", "none")

    def test_of_a_preset_that_are_the_bare_defaults_are_said_to_be(self):
        said = "retropg: preset for rpg on CartPoleContinuous-v0: the same as the bare defaults (the paper, "
        self.assertIn(said, self.succeed("train", "--preset", "paper", "--iterations", 1).stderr)
        self.assertIn(said, self.succeed("compare", "--preset", "paper", "--algos", "rpg", "--budget", 20, "--seeds", 2,
                                         "--keep", "none").stderr)
        self.assertEqual(self.succeed("train", "--preset", "none", "--iterations", 1, "--threads", 1).stderr, "")
        self.assertEqual(self.succeed("train", "--preset", "own", "--env", "Bandit", "--algo", "gpomdp", "--set",
                                      "policy.variance=0.1", "--set", "policy.scaling=none", "--set",
                                      "optimizer.trust=0.5", "--iterations", 1, "--threads", 1).stderr, "")

    def test_of_one_of_several_environments_are_taken(self):
        common = ("compare", "--env", "CartPole,LQR", "--algos", "rpg,gpomdp", "--budget", 20, "--seeds", 2)
        self.check_refused(*common, "--set", "bandit.width=2", hint="reads bandit.width")
        self.succeed(*common, "--set", "lqr.start_range=2", "--keep", "none")


class Steps(FlagsTest):
    def test_a_run_ends_with_the_iteration_that_reaches_them(self):
        summary = self.train("r", "--steps", 3000, "--batch", 5)
        rows = [row.split(",") for row in (self.folder / "r" / "progress.csv").read_text().splitlines()[1:]]
        self.assertEqual(summary["steps"], int(rows[-1][2]))
        self.assertGreaterEqual(summary["steps"], 3000)
        self.assertLess(int(rows[-2][2]), 3000)
        self.assertEqual(summary["trajectories"], 5 * len(rows), "no batch is cut")

    def test_are_no_budget_of_comparisons(self):
        self.check_refused("compare", "--algos", "rpg,gpomdp", "--budget", 20, "--set", "train.steps=100",
                           hint="has no effect in a comparison; use --budget")
        self.check_refused("compare", "--algos", "rpg:train.steps=100,gpomdp", "--budget", 20, hint="train.steps")


class ExplainedKeys(FlagsTest):
    def test_show_type_default_and_readers(self):
        text = self.succeed("list", "algo.window").stdout
        self.assertTrue(text.startswith("algo.window\n"))
        for part in ("omega: batches that enter", 'a whole number from 1 to 10000000 or "all"', "default  8\n",
                     "read by  rpg, rpg-theory, miw-pg, bh-pg,", 'with algo.baseline = "value" or "value-fresh"'):
            self.assertIn(part, text)
        section = self.object_of(self.succeed("list", "optimizer", "--json"))["keys"]
        self.assertEqual([key["key"] for key in section],
                         [key for key in configuration_keys() if key.startswith("optimizer.")])
        self.assertEqual(section[1]["default"], "0.01")
        two = self.object_of(self.succeed("list", "pois.delta", "train.steps", "--json"))["keys"]
        self.assertEqual(two[0]["read_by"], [{"names": ["pois", "p-pois"], "with": None}])
        self.assertEqual(two[1]["read_by"], [{"names": "every algorithm", "with": None}])

    def test_exist_for_all_keys(self):
        for key in configuration_keys():
            self.assertIn("read by", self.succeed("list", key).stdout, key)

    def test_that_are_unknown_get_a_suggestion(self):
        self.check_refused("list", "algo.windw", hint="unknown key 'algo.windw'; did you mean 'algo.window'?")
        self.check_refused("list", "optimzer", hint="did you mean the section 'optimizer'?")
        self.check_refused("list", "window", hint="did you mean 'algo.window'?")


class ListedPresets(FlagsTest):
    def test_are_those_of_the_environments_named(self):
        every = json.loads(self.succeed("list", "--presets", "--json").stdout)
        for name in ("CartPole", "cartpolecontinuous-V0"):
            some = json.loads(self.succeed("list", "--presets", name, "--json").stdout)
            self.assertEqual(some, [one for one in every if one["environment"] == "CartPoleContinuous-v0"])
            self.assertEqual({one["preset"] for one in some}, {"own", "paper"})
        text = self.succeed("list", "--presets", "lqr", "bandit").stdout
        self.assertEqual(re.findall(r"^(\S+), ", text, re.MULTILINE), ["LinearQuadratic-v0", "GaussianBandit-v0"])
        self.check_refused("list", "--presets", "CartPol",
                           hint="unknown environment 'CartPol'; did you mean 'CartPole'?")


class Width(FlagsTest):
    def on_terminal(self, columns, *arguments):
        """What the program prints on a terminal of that width."""
        master, terminal = pty.openpty()
        self.addCleanup(os.close, master)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(command(*arguments), cwd=self.folder, env=environment(),
                                   stdin=subprocess.DEVNULL, stdout=terminal, stderr=subprocess.PIPE)
        os.close(terminal)
        seen = b""
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen += part
        _, stderr = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, stderr)
        return seen.decode().replace("\r\n", "\n")

    def test_help_fits_80_columns_and_has_defaults(self):
        for command in ((), *((name,) for name in COMMANDS)):
            text = self.succeed(*command, "--help").stdout
            self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
            entries = text.split("\n  -")[1:]
            for entry in entries:
                if not entry.startswith(("h,--help", "-version")):
                    self.assertIn("default", entry, command)

    def test_lists_name_the_sections_of_the_configuration(self):
        self.assertIn("retropg list SECTION", self.succeed("list").stdout)

    def test_lists_and_keys_fit_the_terminal(self):
        for arguments in (("list",), ("list", "algo")):
            wide = self.succeed(*arguments).stdout
            self.assertGreater(max(map(len, wide.splitlines())), 100)
            narrow = self.on_terminal(100, *arguments)
            self.assertLessEqual(max(map(len, narrow.splitlines())), 100)
            self.assertEqual(narrow.split(), wide.split())

    def test_findings_fit_the_terminal(self):
        self.train("a-run", "--iterations", 2)
        wide = self.succeed("doctor", "a-run").stdout
        self.assertGreater(max(map(len, wide.splitlines())), 100)
        for columns in (80, 60):
            narrow = self.on_terminal(columns, "doctor", "a-run")
            self.assertLessEqual(max(map(len, narrow.splitlines())), columns, narrow)
            self.assertEqual(narrow.split(), wide.split())

    def test_tables_fit_the_terminal(self):
        arguments = ("compare", "--env", "Bandit", "--algos", "rpg,gpomdp", "--budget", 40, "--seeds", 2, "--out", "c")
        wide = self.succeed(*arguments).stdout
        narrow = self.on_terminal(90, *arguments)
        self.assertGreater(max(map(len, wide.splitlines())), 100)
        self.assertLessEqual(max(map(len, narrow.splitlines())), 90, narrow)
        words = [{word for word in text.split() if word.isalpha()} for text in (narrow, wide)]
        self.assertEqual(*words)
        self.assertIn("\n  improvement  mean return over", narrow)
        self.assertIn("\n               batch; yes if its", narrow)
        for title in ("IQM of area", "P(better)", "s/run"):
            self.assertIn(title, narrow)


if __name__ == "__main__":
    unittest.main(verbosity=1)
