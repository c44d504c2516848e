"""What is wrong is refused in one line, before anything is created; what fails while running leaves readable files.

RETROPG is the program, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from program import COLUMNS, PROGRAM, TIMEOUT, ProgramTest, command, configuration_keys, environment, listing, run


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
            (("train", "--algo", "RPGG "), "did you mean 'rpg'?"),
            (("train", "--algo", "gpomdb"), "did you mean 'gpomdp'?"),
            (("train", "--set", "policy.kind=linear-gausian"), "did you mean 'linear-gaussian'?"),
            (("train", "--set", "algo.windw=4"), "unknown key 'algo.windw'; did you mean 'algo.window'?"),
            (("train", "--set", "window=4"), "did you mean 'algo.window'?"),
            (("train", "--set", "algo.momentum=0.5"), "key 'algo.momentum' is now called 'algo.forgetting'"),
            (("train", "--set", "pois.centred=true"), "key 'pois.centred' is now called 'pois.centered'"),
            (("compare", "--budget", "50", "--algos", "rpg,storm-pg:algo.momentum=0.5"),
             "key 'algo.momentum' is now called 'algo.forgetting'"),
            (("train", "--algo", "pgpe", "--set", "policy.exploration=actions"), "pgpe explores in parameters"),
            (("train", "--algo", "svrpg", "--set", "policy.exploration=parameters"), "svrpg explores in actions"),
            (("train", "--set", "algo.variance=4"), "did you mean 'policy.variance'?"),
            (("train", "--set", "algorithm.zzz=1"), "unknown key"),
            (("train", "--set", "algo=3"), "'algo' is a section"),
            (("train", "--set", "algo.coefficients=adaptve"), "did you mean \"adaptive\"?"),
            (("train", "--set", "train.output=worst"), '"estimate", "best", "last" or "random"'),
            (("train", "--budget", 50, "--set", "train.confirm=50"),
             "train.confirm = 50 leaves nothing of train.budget = 50 to train with"),
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
            (("train", "--set", "optimizer.rate=-0.1"), "optimizer.rate must be a number from 0 to 1e100"),
            (("train", "--set", "optimizer.rate=1e154"), "optimizer.rate must be a number from 0 to 1e100"),
            (("train", "--set", "algo.order=1e300"), "algo.order must be a number > 1 and <= 100"),
            (("train", "--set", "policy.variance=1e-300"), "policy.variance must be a number from 1e-50 to 1e50"),
            (("train", "--algo", "pb-rpg", "--set", "hyperpolicy.variance=1e300"), "from 1e-50 to 1e50"),
            (("train", "--env", "LQR", "--set", "lqr.state_cost=[1e154, 0.0, 0.0, 1.0]"), "from -1e100 to 1e100"),
            (("train", "--env", "LQR", "--set", "lqr.action_cost=[-1e154]"), "from -1e100 to 1e100"),
            (("train", "--budget", "1000000000000"), "random numbers would repeat"),
            (("train", "--set", "algo.order=1"), "algo.order must be a number > 1 and <= 100"),
            (("train", "--set", "algo.confidence=1"), "between 0 and 1"),
            (("reproduce", "table2", "--runs", "0"), "--runs"),
            (("reproduce", "table2", "--runs", "x"), "--runs: must be a whole number, not 'x'"),
            (("reproduce", "table2", "--scale", "abc"), "--scale: must be a number, not 'abc'"),
            (("reproduce", "table2", "--scale", "0.5x"), "--scale: must be a number, not '0.5x'"),
            (("reproduce", "table2", "--scale", ""), "--scale: must be a number, not ''"),
            (("reproduce", "table2", "--scale", "0"), "--scale must be above 0 and at most 1"),
            (("compare", "--threshold", "nan"), "--threshold: must be a number, not 'nan'"),
            (("reproduce",), "the argument 'experiments' is missing; see 'retropg reproduce --help'"),
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
        hint = "policy.variance must be a number from 1e-50"
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
            (("train", "--window", "all", "--budget", "40000000000"), "GB"),
            (("train", "--set", "policy.evidence=steps", "--set", "env.horizon=10000000", "--batch", "1000000"), "GB"),
        ])

    def test_output_folders(self):
        files = {"taken": None, "taken/mine": b"mine", "file": b"mine", "dangling": pathlib.Path("nowhere")}
        hints = {"taken": "taken: already exists", "taken/": "already exists", ".": "must end with the name of a new folder",
                 "file": "file: already exists", "file/below": "file", "dangling": "dangling", "": "no name",
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
            result = subprocess.run(command("train", "--iterations", "1", "--out", out), cwd=self.folder, text=True,
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
                 "range.toml": (b"[policy]\nvariance = -1\n", "range.toml:2: policy.variance must be a number from 1e-50"),
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
            ("p", ("--policy", "best"), "p is a file"),
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


if __name__ == "__main__":
    unittest.main(verbosity=1)
