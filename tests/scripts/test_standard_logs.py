"""What a killed and resumed run wrote for TensorBoard, NumPy and Stable-Baselines3, read with these packages.

RETROPG is the program. The packages are those of the project's virtual environment, .venv; without TensorBoard and NumPy
there, the test is skipped.
"""

import csv
import io
import json
import pathlib
import signal
import struct
import subprocess
import unittest

from program import SOURCE, TIMEOUT, ProgramTest

PYTHON = SOURCE / ".venv" / "bin" / "python"
READER = pathlib.Path(__file__).with_name("read_logs.py")
EPISODES = 3
EVERY = 7


def has_packages():
    if not PYTHON.exists():
        return False
    return subprocess.run([PYTHON, "-c", "import tensorboard, numpy"], capture_output=True).returncode == 0


def single(value):
    """The nearest number of single precision, which TensorBoard's scalars have."""
    return struct.unpack("<f", struct.pack("<f", float(value)))[0]


@unittest.skipUnless(has_packages(), "needs tensorboard and numpy in .venv")
class StandardLogs(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / "r"
        self.kill_and_resume()
        read = subprocess.run([PYTHON, READER, self.run_folder], capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(read.returncode, 0, read.stderr)
        self.seen = json.loads(read.stdout)
        self.progress = {int(row["steps"]): row for row in self.table("progress.csv")}
        self.evaluations = self.table("evaluations.csv")

    def table(self, name):
        return list(csv.DictReader(io.StringIO((self.run_folder / name).read_text())))

    def checkpoints(self):
        return sorted(int(path.stem) for path in (self.run_folder / "checkpoints").glob("*.safetensors"))

    def kill_and_resume(self):
        """Without its newest checkpoint, a killed run repeats iterations whose events are already in a file."""
        process = self.start("train", "--out", "r", "--iterations", 200, "--batch", 50, "--threads", 1,
                             "--set", "checkpoint.every=10", "--set", f"train.eval_every={EVERY}",
                             "--set", f"train.eval_episodes={EPISODES}")
        self.wait_for(lambda: process.poll() is not None or max(self.checkpoints(), default=0) >= 60)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assertEqual(process.returncode, -9, "the run was over too soon")
        newest = self.checkpoints()[-1]
        (self.run_folder / "checkpoints" / f"{newest}.safetensors").unlink()
        self.resumed_after = self.checkpoints()[-1]
        self.assertLess(self.resumed_after, newest)
        self.succeed("resume", "r")

    def check_events(self):
        steps_after = int(self.table("progress.csv")[self.resumed_after - 1]["steps"])
        first, second = self.seen["events"]
        self.assertEqual(first["kinds"], ["file_version"] + ["summary"] * (first["count"] - 1))
        self.assertEqual(second["kinds"][:2], ["file_version", "session_log"])
        self.assertEqual(second["steps"][1], steps_after + 1)
        self.assertGreater(max(first["steps"]), steps_after, "nothing was repeated")
        self.assertGreater(min(second["steps"][2:]), steps_after)

    def check_scalars(self):
        columns = {"rollout/ep_rew_mean": "return_mean", "rollout/trajectories": "trajectories", "reuse/ess": "ess",
                   "time/iterations": "iteration", "time/total_timesteps": "steps", "grad/norm": "gradient_norm",
                   "weights/mean": "weight_mean", "weights/max": "weight_max", "reuse/log_d2_max": "log_d2_max"}
        for tag, column in columns.items():
            points = self.seen["scalars"][tag]
            steps = [step for step, _, _ in points]
            self.assertEqual(steps, sorted(set(steps)), tag)
            self.assertEqual(steps[0], min(self.progress))
            self.assertEqual(steps[-1], max(self.progress))
            self.assertEqual([value for _, _, value in points],
                             [single(self.progress[step][column]) for step in steps], tag)
            times = [time for _, time, _ in points]
            self.assertEqual(times, sorted(times))
        lengths = {step: value for step, _, value in self.seen["scalars"]["rollout/ep_len_mean"]}
        for step, row in self.progress.items():
            if step in lengths:  # Cart Pole pays 1 per step
                self.assertEqual(lengths[step], single(row["return_mean"]))
        others = set(self.seen["scalars"]) - columns.keys() - {"rollout/ep_len_mean"}
        ages = {f"weights/{name}_age_{age}" for name in ("alpha", "lambda") for age in range(8)}
        self.assertEqual(others, ages | {"reuse/ess_age_1", "weights/saturated", "eval/mean_reward",
                                         "eval/mean_ep_length"})

    def check_evaluations(self):
        steps = [int(row["steps"]) for row in self.evaluations]
        means = [float(row["mean"]) for row in self.evaluations]
        points = self.seen["scalars"]["eval/mean_reward"]
        self.assertEqual([point[0] for point in points], steps)
        self.assertEqual([point[2] for point in points], [single(mean) for mean in means])
        arrays = self.seen["evaluations"]
        self.assertEqual({name: array["type"] for name, array in arrays.items()},
                         {"timesteps": "int64", "results": "float64", "ep_lengths": "int64"})
        self.assertEqual(arrays["timesteps"]["values"], steps)
        for mean, results, lengths in zip(means, arrays["results"]["values"], arrays["ep_lengths"]["values"],
                                          strict=True):
            self.assertEqual(len(results), EPISODES)
            self.assertAlmostEqual(sum(results) / EPISODES, mean)
            self.assertEqual(results, lengths)  # Cart Pole pays 1 per step

    def check_monitor(self):
        text = (self.run_folder / "monitor.csv").read_text()
        header, columns, *rows = text.splitlines()
        self.assertEqual(header[0], "#")
        self.assertEqual(list(json.loads(header[1:])), ["t_start", "env_id"])
        self.assertEqual(columns, "r,l,t")
        values = [[float(cell) for cell in row.split(",")] for row in rows]
        self.assertEqual(len(values), 200 * 50)
        self.assertEqual(sum(length for _, length, _ in values), max(self.progress))
        self.assertEqual([value for value, _, _ in values], [length for _, length, _ in values])
        times = [time for _, _, time in values]
        self.assertEqual(times, sorted(times))
        if self.seen["monitor"] is not None:
            self.assertEqual(self.seen["monitor"]["r"], [value for value, _, _ in values])
            self.assertEqual(self.seen["monitor"]["l"], [length for _, length, _ in values])
            self.assertEqual(self.seen["monitor"]["steps"][-1], max(self.progress))

    def test_what_others_read(self):
        for check in (self.check_events, self.check_scalars, self.check_evaluations, self.check_monitor):
            with self.subTest(check.__name__):
                check()


if __name__ == "__main__":
    unittest.main()
