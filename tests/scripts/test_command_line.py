"""The program from outside: every command and flag, evaluation, configuration files.

RETROPG is the program, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import re
import unittest

from program import PROGRAM, SOURCE, ProgramTest, configuration_keys, listing, run


class Commands(ProgramTest):
    def test_version_is_the_projects(self):
        version = re.search(r"project\(retropg VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual(self.succeed("--version").stdout, f"retropg {version}\n")

    def test_help_names_every_command_and_flag(self):
        text = self.succeed("--help").stdout
        for command in ("train", "eval", "list", "compare", "plot", "reproduce"):
            self.assertIn(command, text)
        flags = {"train": "--env --algo --policy --batch --window --iterations --budget --steps --seed --threads --out "
                          "--config --set --json",
                 "eval": "--episodes --seed --threads --json",
                 "list": "--json",
                 "compare": "--env --algos --policy --budget --seeds --batch --window --reference --threshold --seed --threads "
                            "--out --config --set --json",
                 "plot": "--out --metric --json",
                 "reproduce": "--runs --seed --threads --out --json"}
        for command, names in flags.items():
            text = self.succeed(command, "--help").stdout
            for name in names.split():
                self.assertRegex(text, re.escape(name) + r"\b", command)
        self.assertEqual(listing(self.folder), [])

    def test_help_says_which_values_are_accepted(self):
        self.assertIn("above 0, at most 1", " ".join(self.succeed("reproduce", "--help").stdout.split()))
        self.assertIn("or several: CartPole,LQR", " ".join(self.succeed("compare", "--help").stdout.split()))
        self.assertNotIn("or several", self.succeed("train", "--help").stdout)

    def test_list_shows_what_there_is(self):
        lists = self.object_of(self.succeed("list", "--json"))
        self.assertEqual(list(lists), ["environments", "algorithms", "policies", "experiments", "mujoco"])
        mujoco = lists.pop("mujoco")  # the version, or null in a build without
        names = {title: [entry["name"] for entry in entries] for title, entries in lists.items()}
        for name in ("CartPoleContinuous-v0", "LinearQuadratic-v0", "GaussianBandit-v0"):
            self.assertIn(name, names["environments"])
        for name in ("rpg", "rpg-theory", "miw-pg", "bh-pg", "gpomdp", "reinforce", "pgt"):
            self.assertIn(name, names["algorithms"])
        self.assertIn("linear-gaussian", names["policies"])
        self.assertIn("table2", names["experiments"])
        text = self.succeed("list").stdout
        self.assertIn(f"MuJoCo: {mujoco or 'none'}", text)
        for title, entries in lists.items():
            self.assertIn(title + "\n", text)
            for entry in entries:
                self.assertTrue(entry["description"])
                for name in [entry["name"], *entry["aliases"]]:
                    self.assertIn(name, text)
        self.assertEqual(self.succeed("list", "--json").stderr, "")
        self.assertEqual(listing(self.folder), [])

    def test_everything_listed_can_be_trained(self):
        lists = self.object_of(self.succeed("list", "--json"))
        for number, entry in enumerate(lists["algorithms"]):
            for name in [entry["name"], *entry["aliases"]]:
                summary = self.train(f"algo-{name}", "--algo", name, "--iterations", 2)
                self.assertEqual(summary["algorithm"], entry["name"], "aliases are resolved")
        for entry in lists["environments"]:
            for name in [entry["name"], *entry["aliases"]]:
                if entry["description"].startswith("not in this build"):
                    result = run("train", "--env", name, cwd=self.folder)
                    self.assertEqual(result.returncode, 2)
                    self.assertIn("needs MuJoCo, which this build does not have", result.stderr)
                    continue
                short = () if entry["name"] == "GaussianBandit-v0" else ("--set", "env.horizon=20")
                summary = self.train(f"env-{name}", "--env", name, "--iterations", 2, *short)
                self.assertEqual(summary["environment"], entry["name"])
        for entry in lists["policies"]:
            environment = "CartPole-v1" if entry["discrete"] else "CartPole"
            self.train(f"policy-{entry['name']}", "--env", environment, "--set", f"policy.kind={entry['name']}",
                       "--iterations", 2)

    def test_train_reports_one_json_object(self):
        result = self.succeed("train", "--iterations", 7, "--batch", 6, "--out", "r", "--json")
        summary = self.object_of(result)
        promised = {"iterations", "trajectories", "steps", "seconds", "final_return", "best_return", "folder"}
        self.assertLessEqual(promised, set(summary))
        rows = (self.folder / "r" / "progress.csv").read_text().splitlines()[1:]
        cells = [row.split(",") for row in rows]
        self.assertEqual(summary["iterations"], 7)
        self.assertEqual(summary["trajectories"], 42)
        self.assertEqual(summary["steps"], int(cells[-1][2]))
        self.assertEqual(summary["final_return"], float(cells[-1][3]))
        self.assertEqual(summary["best_return"], max(float(row[3]) for row in cells))
        self.assertGreater(summary["seconds"], 0.0)
        self.assertEqual(summary["folder"], "r")
        self.assertFalse(summary["interrupted"])
        self.check_complete("r", 7)

    def test_train_without_json_says_where_the_run_is(self):
        result = self.succeed("train", "--iterations", 3, "--out", "r")
        self.assertIn("run folder: r\n", result.stdout)
        self.assertNotIn("{", result.stdout)
        self.check_complete("r", 3)

    def test_train_counts_in_words_and_gives_every_interval_its_level(self):
        text = self.succeed("train", "--iterations", 1, "--batch", 1, "--set", "env.horizon=1").stdout
        self.assertIn(": 1 iteration, 1 trajectory, 1 step in ", text)
        text = self.succeed("train", "--iterations", 2, "--set", "train.confirm=5").stdout
        self.assertIn(": 2 iterations, 25 trajectories, ", text)
        self.assertRegex(text, r"; return [^;]*\), 95 %, estimated from 20 trajectories of the run; [^;]*\), 95 %, with its "
                               r"mean, from 5 episodes after training\n")

    def test_train_says_where_a_return_comes_from_that_it_does_not_know(self):
        hint = ("the last iterate; its return was not measured: `--confirm 20` does so within the budget, "
                "`retropg eval` after it")
        self.assertIn(hint, self.succeed("train", "--algo", "pgpe", "--iterations", 2).stdout)
        known = self.succeed("train", "--algo", "pgpe", "--iterations", 2, "--set", "train.confirm=2").stdout
        self.assertNotIn("not measured", known)

    def test_train_says_what_was_lost(self):
        overflow = ("--env", "LQR", "--batch", 1, "--preset", "none", "--set", "train.broken=drop",
                    "--set", "lqr.dynamics=[1e60, 0.0, 0.0, 1e60]")
        text = self.succeed("train", "--algo", "gpomdp", *overflow, "--iterations", 3, "--out", "r").stdout
        self.assertIn("dropped as broken: 3 trajectories; skipped: 3 updates\n", text)
        self.assertIn("mean return: last batch none, best batch none\n", text)
        result = run("compare", "--algos", "gpomdp", *overflow, "--budget", 3, "--seeds", 2, cwd=self.folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn("retropg: arm 'gpomdp', seed 1: no iteration has a return, because every trajectory was dropped "
                      "as broken\n", result.stderr)

    def test_list_names_what_an_environment_gives_and_takes(self):
        entries = self.object_of(self.succeed("list", "--json"))["environments"]
        cart_pole = next(entry for entry in entries if entry["name"] == "CartPoleContinuous-v0")
        self.assertEqual(cart_pole["observations"], ["x", "v", "phi", "w"])
        self.assertEqual((cart_pole["actions"], cart_pole["action_ranges"]), (["force"], [[-10.0, 10.0]]))

    def test_the_folder_is_named_after_the_run_by_default(self):
        summary = self.object_of(self.succeed("train", "--env", "LQR", "--algo", "rt-pg", "--seed", 5, "--iterations",
                                              2, "--json"))
        self.assertRegex(summary["folder"], r"^runs/LinearQuadratic-v0__rpg__5__\d{8}T\d{6}Z$")
        self.assertTrue((self.folder / summary["folder"] / "progress.csv").is_file())
        self.assertEqual(listing(self.folder)[0], "runs")

    def test_two_runs_in_one_second_do_not_collide(self):
        folders = {self.object_of(self.succeed("train", "--iterations", 1, "--json"))["folder"] for _ in range(3)}
        self.assertEqual(len(folders), 3)

    def test_out_may_be_deep_absolute_and_end_with_a_slash(self):
        for out in ("a/b/c", str(self.folder / "absolute"), "slash/"):
            self.assertEqual(self.train(out, "--iterations", 1)["folder"], out)
            self.check_complete(out, 1)

    def test_the_command_line_is_kept(self):
        self.train("with space", "--iterations", 1, "--set", "algo.window=all")
        command = (self.folder / "with space" / "command.txt").read_text()
        self.assertEqual(command, f"{PROGRAM} train --preset none --out 'with space' --json --iterations 1 "
                         "--set algo.window=all\n")

    def test_every_flag_sets_its_key(self):
        flags = {"--env": ("env", "id", "LinearQuadratic-v0", "LinearQuadratic-v0"),
                 "--algo": ("algo", "name", "bh-pg", "bh-pg"),
                 "--batch": ("algo", "batch", "3", 3),
                 "--window": ("algo", "window", "5", 5),
                 "--iterations": ("train", "iterations", "4", 4),
                 "--budget": ("train", "budget", "12", 12),
                 "--steps": ("train", "steps", "900", 900),
                 "--policy": ("policy", "kind", "mlp-gaussian", "mlp-gaussian"),
                 "--seed": ("train", "seed", "123456789012", 123456789012),
                 "--threads": ("train", "threads", "2", 2)}
        for number, (flag, (section, key, text, value)) in enumerate(flags.items()):
            limit = [] if flag == "--iterations" else ["--set", "train.iterations=2"]
            self.train(f"r{number}", flag, text, *limit)
            self.assertEqual(self.configuration(f"r{number}")[section][key], value, flag)
        self.train("all", "--window", "all", "--iterations", 2)
        self.assertEqual(self.configuration("all")["algo"]["window"], "all")
        self.train("equals", "--batch=3", "--iterations=2", "--set=algo.window=6")
        self.assertEqual(self.configuration("equals")["algo"]["window"], 6)

    def test_numbers_of_flags_are_decimal(self):
        # Ten or refused, never the eight of C.
        result = run("train", "--seed", "010", "--iterations", 1, "--out", "r", cwd=self.folder)
        if result.returncode == 0:
            self.assertEqual(self.configuration("r")["train"]["seed"], 10)
        else:
            self.assertEqual(result.returncode, 2, result.stderr)

    def test_the_budget_is_never_exceeded(self):
        for budget, batch, iterations in ((25, 10, 3), (20, 10, 2), (7, 10, 1), (1, 1, 1)):
            summary = self.train(f"b{budget}-{batch}", "--budget", budget, "--batch", batch)
            self.assertEqual(summary["trajectories"], budget)
            self.assertEqual(summary["iterations"], iterations)
        self.assertEqual(self.train("both", "--budget", 1000, "--batch", 10, "--iterations", 2)["trajectories"], 20)

    def test_output_random_is_saved_beside_the_others(self):
        self.train("r", "--iterations", 9, "--set", "train.output=random")
        self.assertIn("policy/random.safetensors", listing(self.folder / "r"))
        self.train("s", "--iterations", 9)
        self.assertNotIn("policy/random.safetensors", listing(self.folder / "s"))


class Evaluation(ProgramTest):
    def setUp(self):
        super().setUp()
        self.train("r", "--budget", 2000, "--seed", 3)

    def evaluate(self, *arguments):
        return self.object_of(self.succeed("eval", *arguments, "--json"))

    def test_reports_both_ways_of_acting_with_intervals(self):
        before = listing(self.folder)
        report = self.evaluate("r", "--episodes", 200)
        self.assertEqual(report["environment"], "CartPoleContinuous-v0")
        self.assertEqual(report["episodes"], 200)
        for name in ("stochastic", "deterministic"):
            figures = report[name]
            self.assertLessEqual({"mean", "low", "high"}, set(figures))
            self.assertLessEqual(figures["low"], figures["mean"])
            self.assertLessEqual(figures["mean"], figures["high"])
            self.assertTrue(0.0 < figures["mean"] <= 200.0)
        self.assertNotEqual(report["stochastic"], report["deterministic"])
        text = self.succeed("eval", "r").stdout
        self.assertIn("stochastic", text)
        self.assertIn("deterministic", text)
        self.assertEqual(listing(self.folder), before, "nothing is created")

    def test_takes_a_run_or_a_policy_file(self):
        run_report = self.evaluate("r")
        file_report = self.evaluate("r/policy/estimate.safetensors")
        self.assertEqual(run_report, file_report)
        final_report = self.evaluate("r/policy/final.safetensors")
        best_report = self.evaluate("r/policy/best.safetensors")
        self.assertNotEqual(final_report["stochastic"], best_report["stochastic"])
        self.assertEqual(self.evaluate("r", "--policy", "final"), final_report)
        self.assertEqual(self.evaluate("r", "--policy", "r/policy/final.safetensors"), final_report)
        refused = run("eval", "r", "--policy", "finl", cwd=self.folder)
        self.assertEqual((refused.returncode, refused.stderr), (
            2, "retropg: --policy: unknown policy or file 'finl'; did you mean 'final'? (known: best, estimate, final)\n"))

    def test_depends_on_the_seed_and_not_on_threads(self):
        reports = [self.evaluate("r", "--threads", threads) for threads in (1, 2, 3)]
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(reports[0], reports[2])
        other = self.evaluate("r", "--seed", 2)
        self.assertNotEqual(other["stochastic"], reports[0]["stochastic"])


class ConfigurationFiles(ProgramTest):
    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def test_later_sources_win(self):
        config = self.write("run.toml", "[algo]\nbatch = 3\nwindow = 2\n[train]\nseed = 9\niterations = 2\n")
        self.train("file", "--config", config)
        self.assertEqual(self.configuration("file")["algo"]["batch"], 3)
        self.assertEqual(self.configuration("file")["algo"]["name"], "rpg", "the default where the file is silent")
        self.train("flag", "--config", config, "--batch", 4)
        self.assertEqual(self.configuration("flag")["algo"]["batch"], 4)
        self.assertEqual(self.configuration("flag")["algo"]["window"], 2)
        self.train("set", "--set", "algo.batch=5", "--config", config)
        self.assertEqual(self.configuration("set")["algo"]["batch"], 5, "whatever the order on the command line")
        self.train("twice", "--config", config, "--set", "algo.batch=6", "--set", "algo.batch=7", "--set",
                   "policy.bias=true")
        self.assertEqual(self.configuration("twice")["algo"]["batch"], 7)
        self.assertTrue(self.configuration("twice")["policy"]["bias"])

    def test_the_resolved_configuration_has_every_key(self):
        self.train("r", "--iterations", 1, "--algo", "rt-pg", "--env", "CartPole")
        text = (self.folder / "r" / "config.toml").read_text()
        for key in configuration_keys():
            self.assertRegex(text, rf"(?m)^(# )?{key.split('.')[1]}( =|:)")
        self.assertEqual(self.configuration("r")["algo"]["name"], "rpg")
        self.assertEqual(self.configuration("r")["env"]["id"], "CartPoleContinuous-v0")

    def test_a_run_is_reproduced_by_its_own_configuration(self):
        cases = [("--algo", "bh-pg", "--batch", 7, "--window", 5, "--budget", 60, "--seed", 99),
                 ("--env", "LQR", "--iterations", 6, "--set", "lqr.process_noise=0.05", "--set", "policy.variance=0.1",
                  "--set", "lqr.dynamics=[0.9, 0.1, 0.0, 0.8]", "--set", "env.discount=0.97"),
                 ("--window", "all", "--iterations", 6, "--set", "policy.shift=[0.1, 0.2, 0.3, 0.4]",
                  "--set", "policy.scale=[1, 2, 3, 4]", "--set", "train.output=random", "--set",
                  "algo.coefficients=explicit", "--set", "algo.lambda=[0.1, 0.2]"),
                 ("--window", "all", "--iterations", 6, "--set", "algo.constant=magicrl"),
                 ("--env", "Bandit", "--iterations", 6, "--set", "bandit.target=0.30000000000000004", "--set",
                  "optimizer.kind=constant", "--set", "optimizer.rate=0.1")]
        for number, arguments in enumerate(cases):
            first, second = f"a{number}", f"b{number}"
            self.train(first, *arguments)
            self.train(second, "--config", f"{first}/config.toml")
            self.assertEqual(self.determined(first), self.determined(second))
            self.assertEqual((self.folder / first / "config.toml").read_bytes(),
                             (self.folder / second / "config.toml").read_bytes())


if __name__ == "__main__":
    unittest.main(verbosity=1)
