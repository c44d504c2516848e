"""What the tests that use the program from outside share.

RETROPG is the program, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import json
import os
import pathlib
import re
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
           "skipped,dropped")
# What the seed determines; everything else in a run folder may hold clocks, hosts and paths.
DETERMINED = ["progress.csv", "metrics.jsonl", "policy/best.safetensors", "policy/final.safetensors"]


def environment(**changes):
    result = {key: value for key, value in os.environ.items() if not key.startswith("RETROPG")}
    result.update(changes)
    return result


def command(*arguments):
    """The program with these arguments. Tests are about the bare defaults, unless they name a preset or a file."""
    words = [str(argument) for argument in arguments]
    if words and words[0] in ("train", "compare") and not {"--preset", "--config"}.intersection(words):
        words[1:1] = ["--preset", "none"]
    return [PROGRAM, *words]


def run(*arguments, cwd, **changes):
    return subprocess.run(command(*arguments), cwd=cwd, env=environment(**changes), timeout=TIMEOUT,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)


def listing(folder):
    return sorted(str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*"))


def configuration_keys():
    text = (SOURCE / "docs" / "configuration.md").read_text()
    return re.findall(r"^\| `([a-z]+\.[a-z0-9_]+)` \|", text, re.MULTILINE)


def network_of(environment):
    """The kind of policy that is a network, for an environment as `list --json` has it."""
    return "softmax-mlp" if environment["discrete"] else "mlp-gaussian"


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

    def start(self, *arguments, **options):
        """The program, not waited for."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        process = subprocess.Popen(command(*arguments), cwd=self.folder, env=environment(), text=True,
                                   **options)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def wait_for(self, condition):
        end = time.monotonic() + TIMEOUT
        while not condition():
            self.assertLess(time.monotonic(), end, "timed out")
            time.sleep(0.005)

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
