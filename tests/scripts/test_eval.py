"""retropg eval from outside: run folders and policy files, its JSON, wrong files.

RETROPG is the program. Standard library only.
"""

import json
import re
import struct
import unittest

from program import ProgramTest, listing, network_of, run, safetensors

NETWORK = ["--set", "policy.kind=mlp-gaussian", "--set", "policy.hidden=[8, 8]"]


def write_policy(path, metadata, tensors):
    header, body = {"__metadata__": metadata}, b""
    for name, values in tensors.items():
        data = struct.pack(f"<{len(values)}d", *values)
        header[name] = {"dtype": "F64", "shape": [len(values)], "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


class EvalTest(ProgramTest):
    def train(self, out, *arguments):
        self.succeed("train", "--iterations", 2, "--out", out, "--json", *arguments)
        return self.folder / out / "policy" / "estimate.safetensors"

    def evaluate(self, path, *arguments):
        result = self.succeed("eval", path, "--json", *arguments)
        self.assertEqual(result.stderr, "")
        return self.object_of(result)

    def refuse(self, *arguments, naming, saying=""):
        before = listing(self.folder)
        result = run(*arguments, cwd=self.folder)
        self.assertEqual(result.returncode, 2, f"{arguments}: {result.stdout}{result.stderr}")
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("retropg: ") and result.stderr.endswith("\n"), result.stderr)
        self.assertIn(str(naming), result.stderr)
        self.assertIn(saying, result.stderr)
        self.assertEqual(listing(self.folder), before, "nothing is created")


class Results(EvalTest):
    def test_json_has_the_promised_structure(self):
        self.train("r", *NETWORK)
        report = self.evaluate("r", "--episodes", 40, "--seed", 3)
        self.assertEqual(list(report), ["policy", "environment", "episodes", "seed", "stochastic", "deterministic"])
        self.assertEqual(report["policy"], "r/policy/estimate.safetensors")
        self.assertEqual(report["environment"], "CartPoleContinuous-v0")
        self.assertEqual((report["episodes"], report["seed"]), (40, 3))
        for kind in ("stochastic", "deterministic"):
            value = report[kind]
            self.assertEqual(list(value), ["mean", "low", "high", "standard_deviation"])
            self.assertLess(0.0, value["low"])
            self.assertLess(value["low"], value["mean"])
            self.assertLess(value["mean"], value["high"])
            # Student's t with 39 degrees of freedom, 97.5 %: 2.0227
            half = 2.0227 * value["standard_deviation"] / 40 ** 0.5
            self.assertAlmostEqual(value["high"] - value["mean"], half, delta=1e-4 * half)
            self.assertAlmostEqual(value["mean"] - value["low"], half, delta=1e-4 * half)
        self.assertNotEqual(report["stochastic"], report["deterministic"])

    def test_defaults(self):
        path = self.train("r", *NETWORK)
        report = self.evaluate(path)
        self.assertEqual((report["episodes"], report["seed"]), (100, 1))
        self.assertEqual(report, self.evaluate(path, "--episodes", 100, "--seed", 1))

    def test_a_run_and_its_policy_file_agree(self):
        for name, settings in {"network": NETWORK, "linear": []}.items():
            path = self.train(name, *settings)
            of_run, of_file = self.evaluate(name), self.evaluate(path)
            self.assertEqual(of_file["policy"], str(path))
            del of_run["policy"], of_file["policy"]
            self.assertEqual(of_run, of_file)

    def test_every_policy_file_of_a_run_can_be_evaluated(self):
        self.train("r", *NETWORK)
        reports = [self.evaluate(f"r/policy/{name}.safetensors")["stochastic"] for name in ("best", "final")]
        self.assertNotEqual(*reports)

    def test_a_run_keeps_its_horizon_and_discount(self):
        path = self.train("r", *NETWORK, "--set", "env.horizon=5", "--set", "env.discount=0.5")
        value = self.evaluate("r")["deterministic"]  # no pole falls within five steps of its start
        self.assertAlmostEqual(value["mean"], 1 + 1 / 2 + 1 / 4 + 1 / 8 + 1 / 16, delta=1e-12)
        self.assertEqual(value["standard_deviation"], 0.0)
        self.assertEqual(self.evaluate(path)["deterministic"], value, "a file carries its environment")

    def test_every_environment(self):
        lists = json.loads(self.succeed("list", "--json").stdout)
        tried = 0
        for entry in lists["environments"]:
            if entry["description"].startswith("not in this build"):
                continue
            tried += 1
            network = ["--set", f"policy.kind={network_of(entry)}", "--set", "policy.hidden=[8, 8]"]
            for settings in ([], network):
                name = entry["name"] + ("-network" if settings else "")
                self.train(name, "--env", entry["name"], "--batch", 2, *settings)
                self.assertEqual(self.evaluate(name, "--episodes", 2)["environment"], entry["name"])
        self.assertGreaterEqual(tried, 3)

    def test_threads_do_not_change_a_digit_and_seeds_do(self):
        self.train("r", *NETWORK)
        expected = self.evaluate("r", "--threads", 1)
        for threads in (2, 3):  # oneTBB may remark on stderr that there are fewer cores
            result = self.succeed("eval", "r", "--json", "--threads", threads)
            self.assertEqual(json.loads(result.stdout), expected)
        other = self.evaluate("r", "--seed", 2)
        self.assertNotEqual(other["stochastic"], expected["stochastic"])
        self.assertNotEqual(other["deterministic"], expected["deterministic"], "the starts are random too")

    def test_text_says_the_same(self):
        self.train("r", *NETWORK)
        report = self.evaluate("r")
        result = self.succeed("eval", "r")
        self.assertEqual(result.stderr, "")
        rows = result.stdout.splitlines()
        self.assertEqual(len(rows), 3)
        for word in ("r/policy/estimate.safetensors", "CartPoleContinuous-v0", "100 episodes", "95 %"):
            self.assertIn(word, rows[0])
        for row, kind in zip(rows[1:], ("stochastic", "deterministic")):
            self.assertTrue(row.strip().startswith(kind), row)
            numbers = [float(number) for number in re.findall(r"-?\d+\.\d+", row)]
            value = report[kind]
            for number, key in zip(numbers, ("mean", "low", "high", "standard_deviation"), strict=True):
                self.assertAlmostEqual(number, value[key], delta=0.0005001)

    def test_a_policy_file_made_elsewhere(self):
        # The reward of the bandit at its target is 1, and its only observation 1: a network with the mean 2 * 0.5.
        metadata = {"format": "retropg-policy-1", "kind": "mlp-gaussian", "environment": "GaussianBandit-v0",
                    "observation_size": "1", "action_size": "1", "bias": "false", "activation": "identity"}
        tensors = {"parameters": [2.0, 0.5], "hidden": [1.0], "variance": [0.1], "shift": [], "scale": [],
                   "action_shift": [], "action_scale": []}
        write_policy(self.folder / "mine", metadata, tensors)
        report = self.evaluate("mine")
        self.assertAlmostEqual(report["deterministic"]["mean"], 1.0, delta=1e-15)
        self.assertLess(report["stochastic"]["mean"], 1.0)

    def test_nothing_is_written(self):
        self.train("r", *NETWORK)
        before = {name: (self.folder / name).read_bytes() for name in listing(self.folder)
                  if (self.folder / name).is_file()}
        self.evaluate("r")
        after = {name: (self.folder / name).read_bytes() for name in listing(self.folder)
                 if (self.folder / name).is_file()}
        self.assertEqual(after, before)


class WrongFiles(EvalTest):
    def setUp(self):
        super().setUp()
        self.path = self.train("r", *NETWORK)

    def changed(self, name, metadata=(), tensors=()):
        """A copy of the policy with entries replaced, or left out where the value is None."""
        parts = safetensors(self.path)
        for part, changes in zip(parts, (metadata, tensors)):
            for key, value in dict(changes).items():
                part[key] = value
                if value is None:
                    del part[key]
        write_policy(self.folder / name, *parts)
        return name

    def test_an_unchanged_copy_is_accepted(self):
        self.assertEqual(self.evaluate(self.changed("copy"))["stochastic"], self.evaluate("r")["stochastic"])

    def test_missing(self):
        self.refuse("eval", "nowhere", naming="nowhere", saying="does not exist")
        self.refuse("eval", "r/policy/worst.safetensors", naming="r/policy/worst.safetensors")

    def test_a_folder_that_is_no_run(self):
        (self.folder / "other").mkdir()
        self.refuse("eval", "other", naming="other", saying="run folder")
        self.refuse("eval", "r/policy", naming="r/policy", saying="run folder")

    def test_a_run_without_its_policy(self):
        self.path.unlink()
        self.refuse("eval", "r", naming="estimate.safetensors", saying="--policy best or --policy final evaluates")
        self.refuse("eval", "r", naming="estimate.safetensors", saying="`retropg doctor r`")

    def test_a_run_under_way_and_a_killed_run(self):
        best = self.folder / "long" / "policy" / "best.safetensors"
        process = self.start("train", "--budget", 10 ** 9, "--threads", 1, "--out", "long", "--json")
        self.wait_for(best.exists)
        result = run("eval", "long", cwd=self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertIn("the run is under way", result.stderr)
        self.assertNotIn("retropg resume", result.stderr)
        process.kill()
        process.communicate()
        self.refuse("eval", "long", naming="estimate.safetensors", saying="`retropg resume long` finishes it")
        self.refuse("eval", "long", naming="estimate.safetensors", saying="--policy best evaluates")
        self.assertEqual(self.evaluate("long", "--policy", "best")["policy"], "long/policy/best.safetensors")
        best.unlink()
        self.refuse("eval", "long", naming="estimate.safetensors", saying="there is no other policy")

    def test_garbage(self):
        for number, data in enumerate((b"", b"short", b"all work and no play makes Jack a dull boy", b"\0" * 100,
                                       b"\xff" * 100, bytes(range(256)) * 50,
                                       (self.folder / "r/config.toml").read_bytes())):
            name = f"garbage{number}"
            (self.folder / name).write_bytes(data)
            self.refuse("eval", name, naming=name)

    def test_truncated(self):
        data = self.path.read_bytes()
        for size in (1, 7, 8, 9, 100, len(data) // 2, len(data) - 8, len(data) - 1):
            (self.folder / "part").write_bytes(data[:size])
            self.refuse("eval", "part", naming="part")

    def test_another_version(self):
        name = self.changed("p", {"format": "retropg-policy-2"})
        self.refuse("eval", name, naming=name, saying="retropg-policy-2")

    def test_another_environment(self):
        name = self.changed("p", {"environment": "LinearQuadratic-v0"})
        self.refuse("eval", name, naming=f"{name}: ", saying="LinearQuadratic-v0")
        name = self.changed("q", {"environment": "Pendulum-v9"})
        self.refuse("eval", name, naming=f"{name}: ", saying="Pendulum-v9")

    def test_another_environment_than_the_runs(self):
        bandit = self.train("b", "--env", "Bandit")
        bandit.write_bytes(self.path.read_bytes())
        self.refuse("eval", "b", naming="b/policy/estimate.safetensors", saying="GaussianBandit-v0")

    def test_another_shape(self):
        parameters = safetensors(self.path)[1]["parameters"]
        for number, change in enumerate(({"parameters": parameters[:-1]}, {"parameters": [*parameters, 0.0]},
                                         {"parameters": []}, {"hidden": [8.0]}, {"hidden": [8.0, 9.0]},
                                         {"hidden": [8.0, 8.5]}, {"hidden": [-8.0, 8.0]}, {"hidden": [1e300]},
                                         {"variance": [0.1, 0.2]}, {"shift": [1.0]}, {"action_scale": [1.0]})):
            name = self.changed(f"shape{number}", {}, change)
            self.refuse("eval", name, naming=f"{name}: ")
        for number, change in enumerate(({"observation_size": "5"}, {"action_size": "2"},
                                         {"observation_size": "9" * 15}, {"action_size": "9" * 15}, {"bias": "true"},
                                         {"bias": "perhaps"}, {"activation": "sigmoid"}, {"kind": "linear-gaussian"},
                                         {"kind": "transformer"})):
            name = self.changed(f"meta{number}", change)
            self.refuse("eval", name, naming=f"{name}: ")

    def test_something_left_out(self):
        metadata, tensors = safetensors(self.path)
        self.assertEqual(metadata["exploration"], "actions")
        later = {"exploration", "environment_settings"}  # files of earlier versions do not have them
        for key in later:
            self.evaluate(self.changed(f"without-{key}", {key: None}))
        for key in sorted(set(metadata) - later):
            name = self.changed(f"without-{key}", {key: None})
            self.refuse("eval", name, naming=f"{name}: ", saying=key)
        for key in tensors:
            name = self.changed(f"without-{key}", {}, {key: None})
            self.refuse("eval", name, naming=f"{name}: ", saying=key)

    def test_numbers_that_are_none(self):
        parameters = safetensors(self.path)[1]["parameters"]
        for number, bad in enumerate((float("nan"), float("inf"))):
            name = self.changed(f"bad{number}", {}, {"parameters": [bad, *parameters[1:]]})
            self.refuse("eval", name, naming=f"{name}: ", saying="finite")
        for number, bad in enumerate((0.0, -0.3)):
            name = self.changed(f"variance{number}", {}, {"variance": [bad]})
            self.refuse("eval", name, naming=f"{name}: ", saying="variance")

    def test_a_broken_configuration_of_the_run(self):
        (self.folder / "r" / "config.toml").write_text("[env]\nid = 'CartPole'\nhorizn = 3\n")
        self.refuse("eval", "r", naming="config.toml:3", saying="env.horizn")


class WrongArguments(EvalTest):
    def test_they_are_refused(self):
        self.train("r", *NETWORK)
        self.refuse("eval", naming="path")
        self.refuse("eval", "r", "--episodes", 0, naming="--episodes")
        self.refuse("eval", "r", "--episodes", 1, naming="--episodes", saying="2")
        self.refuse("eval", "r", "--episodes", -5, naming="--episodes")
        self.refuse("eval", "r", "--episodes", "many", naming="--episodes")
        self.refuse("eval", "r", "--episodes", 10 ** 12, naming="--episodes")
        self.refuse("eval", "r", "--seed", -1, naming="--seed")
        self.refuse("eval", "r", "--threads", -1, naming="threads")
        self.refuse("eval", "r", "--episods", 10, naming="--episodes")


if __name__ == "__main__":
    unittest.main()
