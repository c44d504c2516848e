"""The program from outside: every command and flag, same seed same bytes, bad input, signals.

RETROPG is the program, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import concurrent.futures
import json
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import tempfile
import time
import tomllib
import unittest

PROGRAM = os.path.abspath(os.environ["RETROPG"])
SOURCE = pathlib.Path(os.environ["RETROPG_SOURCE_DIR"])
TIMEOUT = 300  # seconds; a program that hangs, on a slow machine with a sanitizer

COLUMNS = ("iteration,trajectories,steps,return_mean,return_std,gradient_norm,ess,weight_mean,weight_max,log_d2_max,"
           "skipped")
# What the seed determines; everything else in a run folder may hold clocks, hosts and paths.
DETERMINED = ["progress.csv", "metrics.jsonl", "policy/best.safetensors", "policy/final.safetensors"]


def environment(**changes):
    result = {key: value for key, value in os.environ.items() if not key.startswith("RETROPG")}
    result.update(changes)
    return result


def run(*arguments, cwd, **changes):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, env=environment(**changes), timeout=TIMEOUT,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)


def listing(folder):
    return sorted(str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*"))


def configuration_keys():
    text = (SOURCE / "docs" / "configuration.md").read_text()
    return re.findall(r"^\| `([a-z]+\.[a-z0-9_]+)` \|", text, re.MULTILINE)


def simd_targets(cwd):
    """The instruction sets this machine has, in the program's own words."""
    error = run("list", cwd=cwd, RETROPG_SIMD="nonsense").stderr
    return re.search(r"this machine has (.*)$", error.strip()).group(1).split(", ")


def safetensors(path):
    """Metadata and numbers of a policy file, read after the published layout."""
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    body = data[8 + length:]
    numbers = {}
    for name, entry in header.items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            numbers[name] = list(struct.unpack(f"<{(last - first) // 8}d", body[first:last]))
    return header["__metadata__"], numbers


class ProgramTest(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def succeed(self, *arguments, **changes):
        result = run(*arguments, cwd=self.folder, **changes)
        self.assertEqual(result.returncode, 0, f"{arguments}: {result.stderr}")
        return result

    def object_of(self, result):
        """stdout is exactly one JSON object and nothing else."""
        value = json.loads(result.stdout)
        self.assertIsInstance(value, dict)
        self.assertTrue(result.stdout.startswith("{") and result.stdout.endswith("}\n"), result.stdout)
        return value

    def train(self, out, *arguments, **changes):
        """A short run; its summary."""
        return self.object_of(self.succeed("train", "--out", out, "--json", *arguments, **changes))

    def configuration(self, out):
        return tomllib.loads((self.folder / out / "config.toml").read_text())

    def determined(self, out):
        return {name: (self.folder / out / name).read_bytes() for name in DETERMINED}

    def check_complete(self, out, iterations):
        """A folder whose files belong together and end with whole lines."""
        folder = self.folder / out
        progress = (folder / "progress.csv").read_text()
        self.assertTrue(progress.endswith("\n"))
        rows = progress.splitlines()
        self.assertEqual(rows[0], COLUMNS)
        self.assertEqual(len(rows) - 1, iterations)
        for number, row in enumerate(rows[1:], start=1):
            cells = row.split(",")
            self.assertEqual(len(cells), len(COLUMNS.split(",")))
            self.assertEqual(int(cells[0]), number)
            for cell in cells:
                float(cell)
        metrics = (folder / "metrics.jsonl").read_text()
        self.assertTrue(metrics.endswith("\n"))
        self.assertEqual([json.loads(line)["iteration"] for line in metrics.splitlines()],
                         list(range(1, iterations + 1)))
        timing = [json.loads(line) for line in (folder / "timing.jsonl").read_text().splitlines()]
        self.assertEqual(timing[-1]["iteration"], iterations)
        self.assertEqual(timing[-1]["steps"], int(rows[-1].split(",")[2]))
        self.configuration(out)
        json.loads((folder / "provenance.json").read_text())
        for name in ("best", "final"):
            metadata, numbers = safetensors(folder / "policy" / f"{name}.safetensors")
            self.assertEqual(metadata["format"], "retropg-policy-1")
            self.assertEqual(len(numbers["parameters"]), 4)
        self.assertEqual([name for name in listing(folder) if name.endswith(".tmp")], [])


class Commands(ProgramTest):
    def test_version_is_the_projects(self):
        version = re.search(r"project\(retropg VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual(self.succeed("--version").stdout, f"retropg {version}\n")

    def test_help_names_every_command_and_flag(self):
        text = self.succeed("--help").stdout
        for command in ("train", "eval", "list", "compare", "reproduce"):
            self.assertIn(command, text)
        flags = {"train": "--env --algo --batch --window --iterations --budget --seed --threads --out --config --set "
                          "--json",
                 "eval": "--episodes --seed --threads --json",
                 "list": "--json",
                 "compare": "--env --algos --budget --seeds --batch --window --reference --threshold --seed --threads "
                            "--out --config --set --json",
                 "reproduce": "--runs --seed --threads --out --json"}
        for command, names in flags.items():
            text = self.succeed(command, "--help").stdout
            for name in names.split():
                self.assertRegex(text, re.escape(name) + r"\b", command)
        self.assertEqual(listing(self.folder), [])

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
                summary = self.train(f"env-{name}", "--env", name, "--iterations", 2, "--set", "env.horizon=20")
                self.assertEqual(summary["environment"], entry["name"])
        for entry in lists["policies"]:
            self.train(f"policy-{entry['name']}", "--set", f"policy.kind={entry['name']}", "--iterations", 2)

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
        self.assertEqual(command, f"{PROGRAM} train --out 'with space' --json --iterations 1 --set algo.window=all\n")

    def test_every_flag_sets_its_key(self):
        flags = {"--env": ("env", "id", "LinearQuadratic-v0", "LinearQuadratic-v0"),
                 "--algo": ("algo", "name", "bh-pg", "bh-pg"),
                 "--batch": ("algo", "batch", "3", 3),
                 "--window": ("algo", "window", "5", 5),
                 "--iterations": ("train", "iterations", "4", 4),
                 "--budget": ("train", "budget", "12", 12),
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

    def test_reproduce_table2_has_the_promised_structure(self):
        result = self.succeed("reproduce", "table2", "--runs", 2, "--json", "--out", "results", "--threads", 2)
        table = self.object_of(result)
        self.assertEqual([(cell["omega"], cell["n_omega"]) for cell in table["table2a"]],
                         [(omega, n) for omega in (2, 4, 8) for n in (32, 64, 128)])
        for cell in table["table2a"]:
            self.assertLessEqual({"omega", "n_omega", "ratio", "low", "high", "paper", "paper_low", "paper_high",
                                  "agrees"}, set(cell))
            self.assertLessEqual(cell["low"], cell["high"])
            self.assertTrue(0.5 <= cell["ratio"] <= cell["omega"] + 1)
            self.assertTrue(cell["paper_low"] < cell["paper"] < cell["paper_high"])
            overlap = cell["low"] <= cell["paper_high"] and cell["paper_low"] <= cell["high"]
            self.assertEqual(cell["agrees"], overlap)
        paper = {(cell["omega"], cell["n_omega"]): cell["paper"] for cell in table["table2a"]}
        self.assertEqual(paper[(2, 32)], 2.11)
        self.assertEqual(paper[(8, 128)], 7.04)
        self.assertEqual([(cell["omega"], cell["n_omega"]) for cell in table["table2b"]],
                         [(omega, n) for omega in (1, 2, 4, 8) for n in (32, 64, 128)])
        for cell in table["table2b"]:
            self.assertEqual(set(cell), {"omega", "n_omega", "seconds", "paper_seconds"})
            self.assertGreater(cell["seconds"], 0.0)
        self.assertEqual(table["table2b"][0]["paper_seconds"], 12.53)
        files = listing(self.folder / "results")
        for name in ("curves.csv", "table2a.csv", "table2b.csv", "figure.png", "figure.svg"):
            self.assertIn(name, files)
        self.assertTrue((self.folder / "results" / "figure.png").read_bytes().startswith(b"\x89PNG"))
        self.assertIn("<svg", (self.folder / "results" / "figure.svg").read_text()[:2000])
        self.assertEqual(len((self.folder / "results" / "table2a.csv").read_text().splitlines()), 10)
        self.assertEqual(len((self.folder / "results" / "table2b.csv").read_text().splitlines()), 13)

    def test_reproduce_names_its_folder_and_prints_the_table(self):
        text = self.succeed("reproduce", "table2", "--runs", 2, "--seed", 3).stdout
        for word in ("Table 2a", "Table 2b", "paper", "agrees", "of 9 ratios agree"):
            self.assertIn(word, text)
        self.assertRegex(listing(self.folder)[1], r"^results/table2__\d{8}T\d{6}Z$")


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
        file_report = self.evaluate("r/policy/best.safetensors")
        self.assertEqual(run_report, file_report)
        final_report = self.evaluate("r/policy/final.safetensors")
        self.assertNotEqual(final_report["stochastic"], file_report["stochastic"])

    def test_depends_on_the_seed_and_not_on_threads(self):
        reports = [self.evaluate("r", "--threads", threads) for threads in (1, 2, 3)]
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(reports[0], reports[2])
        other = self.evaluate("r", "--seed", 2)
        self.assertNotEqual(other["stochastic"], reports[0]["stochastic"])


class SameSeedSameBytes(ProgramTest):
    ARGUMENTS = ("--batch", 37, "--window", 3, "--iterations", 12)

    def check_equal(self, arguments, variants):
        names = []
        for number, (extra, changes) in enumerate(variants):
            names.append(f"r{number}")
            self.train(names[-1], *self.ARGUMENTS, *arguments, *extra, **changes)
        expected = self.determined(names[0])
        self.assertGreater(len(expected["progress.csv"]), 500)
        for name, (extra, changes) in zip(names[1:], variants[1:]):
            self.assertEqual(self.determined(name), expected, f"{extra} {changes}")

    def variants(self):
        result = [(("--threads", threads), {}) for threads in (1, 2, 3, 0)]
        result += [(("--set", f"train.lanes={lanes}"), {}) for lanes in (4, 8, 64)]
        for target in simd_targets(self.folder):
            if target != "sse":  # without fused multiply-add the bits are not promised
                result.append((("--threads", 2, "--set", "train.lanes=16"), {"RETROPG_SIMD": target}))
        return result

    def test_rpg_on_cart_pole(self):
        self.check_equal((), self.variants())

    def test_step_evidence(self):
        self.check_equal(("--set", "policy.evidence=steps"), self.variants())

    def test_balance_heuristic(self):
        self.check_equal(("--algo", "bh-pg"), self.variants())

    def test_plain_weights_with_full_reuse(self):
        self.check_equal(("--algo", "miw-pg", "--set", "algo.window=all"), self.variants())

    def test_on_policy(self):
        self.check_equal(("--algo", "reinforce"), self.variants())

    def test_linear_quadratic_with_noise(self):
        self.check_equal(("--env", "LQR", "--set", "lqr.process_noise=0.1", "--set", "policy.bias=true"),
                         self.variants())

    def test_the_forced_target_is_in_use(self):
        for target in simd_targets(self.folder):
            self.train(target, "--iterations", 1, RETROPG_SIMD=target)
            provenance = json.loads((self.folder / target / "provenance.json").read_text())
            self.assertEqual(provenance["simd"], target)

    def test_another_seed_gives_other_bytes(self):
        self.train("a", *self.ARGUMENTS, "--seed", 1)
        self.train("b", *self.ARGUMENTS, "--seed", 2)
        self.assertNotEqual(self.determined("a")["progress.csv"], self.determined("b")["progress.csv"])

    def test_table2_does_not_depend_on_threads(self):
        tables = []
        for threads in (1, 2):
            result = self.succeed("reproduce", "table2", "--runs", 2, "--json", "--out", f"t{threads}", "--threads",
                                  threads)
            tables.append(self.object_of(result))
        self.assertEqual(tables[0]["table2a"], tables[1]["table2a"])
        self.assertEqual((self.folder / "t1" / "curves.csv").read_bytes(),
                         (self.folder / "t2" / "curves.csv").read_bytes())


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
                 ("--window", "all", "--iterations", 6, "--set", "algo.constant=magicrl", "--set",
                  "policy.shift=[0.1, 0.2, 0.3, 0.4]", "--set", "policy.scale=[1, 2, 3, 4]", "--set",
                  "train.output=random", "--set", "algo.coefficients=explicit", "--set", "algo.lambda=[0.1, 0.2]"),
                 ("--env", "Bandit", "--iterations", 6, "--set", "bandit.target=0.30000000000000004", "--set",
                  "optimizer.kind=constant", "--set", "optimizer.rate=0.1")]
        for number, arguments in enumerate(cases):
            first, second = f"a{number}", f"b{number}"
            self.train(first, *arguments)
            self.train(second, "--config", f"{first}/config.toml")
            self.assertEqual(self.determined(first), self.determined(second))
            self.assertEqual((self.folder / first / "config.toml").read_bytes(),
                             (self.folder / second / "config.toml").read_bytes())


class BadInput(ProgramTest):
    """Each case: exit status 2, one line on stderr that begins with 'retropg: ' and holds the hint, nothing created."""

    def check(self, arguments, hint, files=None, **changes):
        """`files` are there before: name -> bytes, a Path as a link to it, None as a folder."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name, content in (files or {}).items():
            if content is None:
                (folder / name).mkdir()
            elif isinstance(content, pathlib.Path):
                (folder / name).symlink_to(content)
            else:
                (folder / name).write_bytes(content)
        before = listing(folder)
        result = run(*arguments, cwd=folder, **changes)
        where = f"{arguments} {changes}\nstatus {result.returncode}\n{result.stderr}"
        self.assertEqual(result.returncode, 2, where)
        self.assertEqual(result.stdout, "", where)
        self.assertTrue(result.stderr.startswith("retropg: "), where)
        self.assertTrue(result.stderr.endswith("\n") and result.stderr.count("\n") == 1, where)
        self.assertLess(len(result.stderr), 1000, where)
        self.assertIn(hint, result.stderr, where)
        self.assertEqual(listing(folder), before, where)
        for name, content in (files or {}).items():
            if isinstance(content, bytes):
                self.assertEqual((folder / name).read_bytes(), content, where)

    def check_all(self, cases):
        """Cases do not know of each other: side by side, and all failures at once."""
        def attempt(case):
            try:
                self.check(*case)
            except AssertionError as error:
                return str(error)
            return None
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            failures = [failure for failure in pool.map(attempt, cases) if failure]
        if failures:
            self.fail("\n".join(failures))

    def test_unknown_names(self):
        self.check_all([
            (("train", "--env", "CartPol"), "unknown environment 'CartPol'; did you mean 'CartPole'?"),
            (("train", "--env", "Zzzzzzz"), "(known: CartPoleContinuous-v0, CartPole"),
            (("train", "--env", ""), "env"),
            (("train", "--algo", "rgp"), "unknown algorithm 'rgp'; did you mean 'rpg'?"),
            (("train", "--algo", "RPG "), "did you mean 'rpg'?"),
            (("train", "--algo", "gpomdb"), "did you mean 'gpomdp'?"),
            (("train", "--set", "policy.kind=linear-gausian"), "did you mean 'linear-gaussian'?"),
            (("train", "--set", "algo.windw=4"), "unknown key 'algo.windw'; did you mean 'algo.window'?"),
            (("train", "--set", "window=4"), "did you mean 'algo.window'?"),
            (("train", "--set", "algo.variance=4"), "did you mean 'policy.variance'?"),
            (("train", "--set", "algorithm.zzz=1"), "unknown key"),
            (("train", "--set", "algo=3"), "'algo' is a section"),
            (("train", "--set", "algo.coefficients=adaptve"), "did you mean \"adaptive\"?"),
            (("train", "--set", "train.output=worst"), '"best", "last" or "random"'),
            (("train", "--envv", "CartPole"), "unknown option '--envv'; did you mean '--env'?"),
            (("train", "--iteration", "5"), "did you mean '--iterations'?"),
            (("train", "-x"), "-x"),
            (("train", "extra"), "extra"),
            (("list", "--jsn"), "did you mean '--json'?"),
            (("reproduce", "tabel2"), "unknown experiment 'tabel2'; did you mean 'table2'?"),
            (("reproduce", "table2", "--run", "3"), "did you mean '--runs'?"),
            (("reproduce",), "experiment"),
            (("trian",), "did you mean 'train'?"),
            (("frobnicate", "--json"), "frobnicate"),
            ((), "train"),
            (("--vresion",), "did you mean '--version'?"),
        ])

    def test_sizes(self):
        self.check_all([
            (("train", flag, value), hint)
            for flag, hint, values in (
                ("--batch", "algo.batch must be a whole number from 1 to 10000000", ("0", "-1", "10000001")),
                ("--window", "algo.window must be a whole number from 1 to 10000000", ("0", "-3", "10000001", "1.5",
                                                                                      "most")),
                ("--iterations", "train.iterations must be a whole number from 1", ("0", "-1", "1000000001")),
                ("--budget", "train.budget must be a whole number from 0", ("-1", "1000000000000001")),
                ("--seed", "train.seed must be a whole number from 0", ("-1",)),
                ("--threads", "train.threads must be a whole number from 0 to 1024", ("-1", "1025", "1000000")),
            )
            for value in values
        ] + [
            # Larger than any integer of the machine: refused, never quietly taken for the largest one.
            (("train", flag, "99999999999999999999"), "99999999999999999999")
            for flag in ("--batch", "--window", "--iterations", "--budget", "--seed", "--threads")
        ] + [
            (("train", "--set", "train.lanes=0"), "a multiple of 4 from 4 to 1024"),
            (("train", "--set", "train.lanes=6"), "a multiple of 4 from 4 to 1024"),
            (("train", "--set", "train.lanes=1028"), "a multiple of 4 from 4 to 1024"),
            (("train", "--set", "env.horizon=0"), "env.horizon must be a whole number from 1"),
            (("train", "--set", "env.discount=1.5"), "env.discount must be a number from 0 to 1"),
            (("train", "--set", "optimizer.rate=-0.1"), "optimizer.rate must be a number >= 0"),
            (("train", "--set", "algo.order=1"), "algo.order must be a number > 1"),
            (("train", "--set", "algo.confidence=1"), "between 0 and 1"),
            (("reproduce", "table2", "--runs", "0"), "--runs"),
            (("reproduce", "table2", "--runs", "1"), "--runs must be a whole number from 2"),
            (("reproduce", "table2", "--runs", "-4"), "--runs"),
            (("reproduce", "table2", "--runs", "100001"), "--runs"),
            (("reproduce", "table2", "--seed", "-1"), "--seed"),
            (("reproduce", "table2", "--threads", "-1"), "--threads"),
            (("reproduce", "table2", "--threads", "1025"), "--threads"),
        ])

    def test_values_that_are_no_numbers(self):
        self.check_all([
            ((command, *name, flag, value), flag[2:])
            for command, name, flags in (("train", (), ("--batch", "--iterations", "--budget", "--seed", "--threads")),
                                         ("reproduce", ("table2",), ("--runs", "--seed", "--threads")))
            for flag in flags
            for value in ("abc", "1.5", "1e3", "nan", "", "0x", "5 6")
        ] + [
            (("train", "--batch"), "--batch"),
            (("train", "--set"), "--set"),
            (("train", "--set", "algo.batch"), "write it as key=value"),
            (("train", "--set", "algo.batch="), "write it as key=value"),
            (("train", "--set", "=3"), "unknown key"),
            (("train", "--set", "algo.batch=ten"), "algo.batch must be a whole number"),
            (("train", "--set", "algo.batch=10.0"), "algo.batch must be a whole number"),
            (("train", "--set", "policy.bias=1"), "policy.bias must be true or false"),
            (("train", "--set", "policy.shift=[1, \"a\"]"), "policy.shift must be a list of numbers"),
            (("train", "--set", "algo.batch=3\nalgo.window=2"), "algo.batch"),
        ])

    def test_nan_and_infinity_in_any_key(self):
        keys = configuration_keys()
        self.assertGreater(len(keys), 35)
        cases = []
        for key in keys:
            section, name = key.split(".")
            for value in ("nan", "inf", "-inf", "[nan]", "[1.0, -inf]", "1e999"):
                # 1e999 is no TOML number at all: a name on the command line, an error in a file
                cases.append((("train", "--set", f"{key}={value}"), value if value == "1e999" else key))
                cases.append((("train", "--config", "c.toml"), "c.toml:2: " if value == "1e999" else f"c.toml:2: {key}",
                              {"c.toml": f"[{section}]\n{name} = {value}\n".encode()}))
        self.check_all(cases)

    def test_variances(self):
        hint = "policy.variance must be a number > 0"
        self.check_all([(("train", "--set", f"policy.variance={value}"), hint)
                        for value in ("0", "0.0", "-0.3", "nan", "inf", "[]", "[0.3, -1]", "[nan]", "true", "small")] +
                       [(("train", "--set", "policy.variance=[0.1, 0.2]"), "policy.variance has 2 numbers; expected 1"),
                        # 1 / variance overflows: no gradient could ever be finite
                        (("train", "--set", "policy.variance=1e-320"), "policy.variance")])

    def test_parts_that_do_not_fit_together(self):
        self.check_all([
            (("train", "--set", "policy.shift=[1.0]"), "policy.shift"),
            (("train", "--set", "policy.shift=[1, 1]", "--set", "policy.scale=[1, 1]"), "4 numbers"),
            (("train", "--set", "algo.coefficients=explicit"), "algo.lambda"),
            (("train", "--set", "algo.coefficients=theorem-dependent"), "algo.gradient_bound"),
            (("train", "--env", "LQR", "--set", "lqr.dynamics=[1, 2, 3]"), "dynamics"),
            (("train", "--env", "LQR", "--set", "lqr.input=[1, 2, 3]"), "input"),
            (("train", "--env", "LQR", "--set", "lqr.state_cost=[1, 2]"), "state_cost"),
        ])

    def test_a_window_larger_than_memory(self):
        huge = ("train", "--window", "all", "--batch", "10000000", "--iterations", "1000000000")
        self.check(huge, "GB")
        # The size needed is stated: 1e16 trajectories of about 250 bytes are 2.5e9 GB.
        needed, unit = re.search(r"need about ([0-9.e+]+) (GB)", run(*huge, cwd=self.folder).stderr).groups()
        self.assertTrue(1e9 < float(needed) < 1e10, needed)
        self.check_all([
            (("train", "--window", "10000000", "--batch", "10000000", "--iterations", "10000000"), "GB"),
            (("train", "--algo", "bh-pg", "--window", "all", "--iterations", "10000000"), "GB"),
            (("train", "--window", "all", "--budget", "1000000000000000"), "GB"),
            (("train", "--set", "policy.evidence=steps", "--set", "env.horizon=10000000", "--batch", "1000000"), "GB"),
        ])

    def test_output_folders(self):
        files = {"taken": None, "taken/mine": b"mine", "file": b"mine", "dangling": pathlib.Path("nowhere")}
        hints = {"taken": "taken: exists already", "taken/": "exists already", ".": "exists already",
                 "file": "file: exists already", "file/below": "file", "dangling": "dangling", "": "no name",
                 "x" * 300: "xxx"}
        self.check_all([((*command, "--out", out), hint, files)
                        for command in (("train", "--iterations", "1"), ("reproduce", "table2", "--runs", "2"))
                        for out, hint in hints.items()])

    def test_a_parent_that_may_not_be_written(self):
        locked, hidden = self.folder / "locked", self.folder / "hidden"
        for folder, mode in ((locked, 0o555), (hidden, 0o000)):
            folder.mkdir()
            folder.chmod(mode)
            self.addCleanup(folder.chmod, 0o755)
        user = {}
        if os.geteuid() == 0:  # everything may be written by root: become nobody
            self.folder.chmod(0o755)
            user = {"user": 65534, "group": 65534, "extra_groups": []}
        try:
            subprocess.run([PROGRAM, "--version"], cwd=self.folder, check=True, capture_output=True, **user)
        except (OSError, subprocess.SubprocessError):
            self.skipTest("root, and nobody cannot run the program")
        for out in ("locked/run", "locked/deep/run", "hidden/run"):
            result = subprocess.run([PROGRAM, "train", "--iterations", "1", "--out", out], cwd=self.folder, text=True,
                                    capture_output=True, env=environment(), timeout=TIMEOUT, **user)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertRegex(result.stderr, r"\Aretropg: .*(locked|hidden).*\n\Z")
        hidden.chmod(0o755)
        self.assertEqual(listing(self.folder), ["hidden", "locked"])

    def test_configuration_files(self):
        files = {"broken.toml": (b"[algo]\nbatch = 3\nwindow = = 4\n", "broken.toml:3: "),
                 "open.toml": (b"[algo\n", "open.toml:1: "),
                 "key.toml": (b"[algo]\nbatch = 3\nwindw = 4\n",
                              "key.toml:3: unknown key 'algo.windw'; did you mean 'algo.window'?"),
                 "section.toml": (b"[algorithm]\nwindow = 4\n", "section.toml:1: unknown section 'algorithm'"),
                 "type.toml": (b"\n[algo]\nbatch = \"ten\"\n", "type.toml:3: algo.batch must be a whole number"),
                 "range.toml": (b"[policy]\nvariance = -1\n", "range.toml:2: policy.variance must be a number > 0"),
                 "twice.toml": (b"[algo]\nbatch = 3\nbatch = 4\n", "twice.toml:3: "),
                 "bytes.toml": (b"\xff\xfe\x00[algo]\n", "bytes.toml:1: "),
                 "name.toml": (b"[env]\nid = \"CartPol\"\n", "did you mean 'CartPole'?")}
        self.check_all([(("train", "--config", name), hint, {name: data}) for name, (data, hint) in files.items()] +
                       [(("train", "--config", "missing.toml"), "missing.toml: No such file"),
                        (("train", "--config", "folder"), "folder", {"folder": None}),
                        (("train", "--config", ""), "cannot read")])

    def test_evaluations(self):
        self.succeed("train", "--iterations", "1", "--out", "r")
        policy = (self.folder / "r" / "policy" / "best.safetensors").read_bytes()
        files = {"p": policy, "short": policy[:-8], "text": b"not a policy\n", "folder": None}
        self.check_all([(("eval", path, *arguments), hint, files) for path, arguments, hint in (
            ("missing", (), "missing"),
            ("folder", (), "folder"),
            ("text", (), "text: is not a safetensors file"),
            ("short", (), "short: "),
            ("", (), ""),
            ("p", ("--episodes", "0"), "--episodes"),
            ("p", ("--episodes", "1"), "--episodes"),
            ("p", ("--episodes", "-5"), "--episodes"),
            ("p", ("--episodes", "10000001"), "--episodes"),
            ("p", ("--episodes", "99999999999999999999"), "--episodes"),
            ("p", ("--episodes", "many"), "--episodes"),
            ("p", ("--episodes", ""), "--episodes"),
            ("p", ("--seed", "-1"), "--seed"),
            ("p", ("--threads", "1025"), "--threads"),
            ("p", ("--episode", "5"), "did you mean '--episodes'?"))] + [(("eval",), "path")])

    def test_instruction_sets(self):
        for command in (("train", "--iterations", "1"), ("list",), ("reproduce", "table2", "--runs", "2")):
            self.check(command, "RETROPG_SIMD: 'nonsense' is not available",
                       RETROPG_SIMD="nonsense")


class FailuresWhileRunning(ProgramTest):
    """Exit status 1: the input was right, the run was not."""

    def check(self, arguments, hint):
        result = run("train", "--out", "r", *arguments, cwd=self.folder)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stdout, "")
        last = result.stderr.splitlines()[-1]
        self.assertTrue(last.startswith("retropg: "), last)
        self.assertIn(hint, last)

    def test_a_parameter_that_overflows(self):
        self.check(("--set", "optimizer.rate=1e308"), "iteration 1: a parameter is not finite")

    def test_a_state_that_overflows_is_named(self):
        self.check(("--env", "LQR", "--set", "lqr.dynamics=[1e200, 0.0, 0.0, 1e200]"),
                   "LinearQuadratic-v0, iteration 1, trajectory 0, step 1")

    def test_what_was_learned_before_stays_readable(self):
        # A gain of 1.7 a step and Adam's growing parameters overflow after a few iterations.
        self.check(("--env", "LQR", "--set", "env.horizon=2000", "--set", "lqr.dynamics=[1.1, 0.0, 0.0, 1.1]",
                    "--set", "optimizer.rate=0.1", "--iterations", "1000"), "iteration ")
        failed = int(re.search(r"iteration (\d+)", run("train", "--out", "again", "--env", "LQR", "--set",
                                                       "env.horizon=2000", "--set",
                                                       "lqr.dynamics=[1.1, 0.0, 0.0, 1.1]", "--set",
                                                       "optimizer.rate=0.1", "--iterations", "1000",
                                                       cwd=self.folder).stderr.splitlines()[-1]).group(1))
        rows = (self.folder / "r" / "progress.csv").read_text().splitlines()
        self.assertEqual(rows[0], COLUMNS)
        self.assertEqual(len(rows) - 1, failed - 1)


class Signals(ProgramTest):
    def start(self, *arguments, **options):
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, env=environment(),
                                   stdin=subprocess.DEVNULL, **options)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def wait_for(self, condition):
        end = time.monotonic() + TIMEOUT
        while not condition():
            self.assertLess(time.monotonic(), end, "timed out")
            time.sleep(0.02)

    def check_interrupt(self, number, status):
        process = self.start("train", "--iterations", 1000000000, "--window", 2, "--out", "r", "--json", text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        timing = self.folder / "r" / "timing.jsonl"
        self.wait_for(lambda: timing.exists() and timing.stat().st_size > 0)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, status, stderr)
        summary = json.loads(stdout)
        self.assertTrue(summary["interrupted"])
        self.assertEqual(summary["trajectories"], 10 * summary["iterations"])
        self.check_complete("r", summary["iterations"])

    def test_sigint_ends_a_run_with_complete_files(self):
        self.check_interrupt(signal.SIGINT, 130)

    def test_sigterm_ends_a_run_with_complete_files(self):
        self.check_interrupt(signal.SIGTERM, 143)

    def test_an_interrupted_experiment_leaves_nothing(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.start("reproduce", "table2", "--runs", 100000, "--out", "r", stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
            time.sleep(1.0)
            process.send_signal(number)
            process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, status)
            self.assertEqual(listing(self.folder), [])


class Progress(ProgramTest):
    def test_plain_lines_without_a_terminal(self):
        stderr = self.succeed("train", "--iterations", 50, "--out", "r").stderr
        rows = [row for row in stderr.splitlines() if "ETA" in row]
        self.assertEqual(len(rows), 10, stderr)
        self.assertIn("100 %", rows[-1])
        self.assertIn("iteration 50", rows[-1])
        self.assertNotIn("\r", stderr)
        self.assertNotIn("\x1b", stderr)

    def test_one_changing_line_on_a_terminal(self):
        master, terminal = pty.openpty()
        self.addCleanup(os.close, master)
        process = subprocess.Popen([PROGRAM, "train", "--iterations", "1000000000", "--window", "2", "--out", "r",
                                    "--json"], cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=terminal)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        os.close(terminal)
        seen = b""
        while seen.count(b"ETA") < 2:
            part = os.read(master, 4096)
            self.assertTrue(part)
            seen += part
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 130)
        json.loads(stdout)
        self.assertIn(b"\r", seen)
        self.assertNotIn(b"\n", seen, "the line is written over, not repeated")
        self.assertRegex(seen, rb"iteration \d+ .*return .*ETA ")


if __name__ == "__main__":
    unittest.main(verbosity=1)
