"""retropg doctor from outside: its report, its JSON, its exit status, and that it changes nothing.

RETROPG is the program. Standard library only.
"""

import shutil
import signal
import time
import unittest

from program import ProgramTest, listing, run

FIELDS = ["kind", "folder", "well", "state", "reason", "resume_after", "refusal", "evaluate", "findings"]
RESULTS_FIELDS = ["kind", "folder", "well", "runs", "done", "under_way", "failed", "damaged", "findings",
                  "not_done_or_not_fine"]


class DoctorTest(ProgramTest):
    def doctor(self, path, *arguments, status=0):
        before = self.contents()
        result = run("doctor", path, *arguments, cwd=self.folder)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        self.assertEqual(self.contents(), before, "nothing is changed")
        return result

    def report(self, path, status=0):
        result = self.doctor(path, "--json", status=status)
        self.assertEqual(result.stderr, "")
        return self.object_of(result)

    def contents(self):
        return {name: (self.folder / name).read_bytes() if (self.folder / name).is_file() else None
                for name in listing(self.folder)}

    def complaints(self, report):
        return [finding for finding in report["findings"] if finding["severity"] != "fine"]


class Runs(DoctorTest):
    def test_a_finished_run(self):
        self.train("r", "--iterations", 4)
        report = self.report("r")
        self.assertEqual(list(report), FIELDS)
        self.assertEqual((report["kind"], report["folder"], report["well"]), ("run", "r", True))
        self.assertEqual((report["state"], report["reason"]), ("done", None))
        self.assertEqual((report["resume_after"], report["refusal"], report["evaluate"]), (4, None, "r"))
        self.assertEqual(self.complaints(report), [])
        self.assertEqual(list(report["findings"][0]), ["file", "severity", "text"])
        found = {finding["file"] for finding in report["findings"]}
        there = {name for name in listing(self.folder / "r") if (self.folder / "r" / name).is_file()}
        self.assertEqual({name for name in there if "window" not in name}, found)

    def test_the_text_says_the_same(self):
        self.train("r", "--iterations", 4)
        report = self.report("r")
        rows = self.doctor("r").stdout.splitlines()
        self.assertEqual(rows[0], "r")
        for row, finding in zip(rows[1:], report["findings"]):
            self.assertEqual(row.split(maxsplit=2), [finding["severity"], finding["file"], finding["text"]])
        self.assertEqual(rows[1 + len(report["findings"]):],
                         ["the run is done",
                          "it can be made longer after iteration 4: retropg resume r with a larger --iterations, --budget "
                          "or --steps, whichever limits it",
                          "its policy can be evaluated: retropg eval r"])

    def test_a_run_under_way_and_then_killed(self):
        process = self.start("train", "--iterations", 10 ** 9, "--out", "r", "--set", "checkpoint.every=100")
        limit = time.monotonic() + 60
        while not (self.folder / "r/policy/best.safetensors").exists() and time.monotonic() < limit:
            time.sleep(0.05)
        result = run("doctor", "r", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("\nthe run is under way\nif it stopped now, it could be resumed after iteration", result.stdout)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        report = self.report("r")
        self.assertEqual((report["state"], report["well"], report["refusal"]), ("killed", True, None))
        self.assertGreaterEqual(report["resume_after"], 0)
        self.assertIn(f"\nthe run was killed\nit goes on after iteration {report['resume_after']} with: "
                      "retropg resume r\n", self.doctor("r").stdout)
        resumed = self.start("resume", "r")
        self.assertIn(f"going on after iteration {report['resume_after']}", resumed.stderr.readline())
        resumed.send_signal(signal.SIGINT)
        resumed.communicate()
        report = self.report("r")
        self.assertEqual((report["state"], report["reason"], self.complaints(report)), ("interrupted", "SIGINT", []))

    def test_damage(self):
        self.train("r", "--iterations", 4)
        data = bytearray((self.folder / "r/checkpoints/4.safetensors").read_bytes())
        data[len(data) // 2] ^= 1
        (self.folder / "r/checkpoints/4.safetensors").write_bytes(data)
        report = self.report("r", status=1)
        self.assertEqual((report["well"], report["resume_after"]), (False, 0))
        self.assertEqual([(finding["file"], finding["severity"]) for finding in self.complaints(report)],
                         [("checkpoints/4.safetensors", "damaged")])
        (self.folder / "r/progress.csv").unlink()
        report = self.report("r", status=1)
        self.assertIsNone(report["resume_after"])
        self.assertIn("progress.csv: is missing", report["refusal"])
        self.assertIn("retropg train --config r/config.toml", report["refusal"])
        refused = run("resume", "r", cwd=self.folder)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("progress.csv: is missing", refused.stderr)

    def test_the_configuration_can_be_had_from_a_checkpoint(self):
        self.train("r", "--iterations", 4)
        text = (self.folder / "r/config.toml").read_bytes()
        (self.folder / "r/config.toml").write_text("lost")
        report = self.report("r", status=1)
        self.assertIn("metadata 'configuration' of checkpoints/4.safetensors", report["refusal"])
        self.assertEqual(report["evaluate"], "r/policy/best.safetensors", "a policy file needs no configuration")
        self.succeed("eval", report["evaluate"], "--episodes", 2)
        (self.folder / "r/config.toml").write_bytes(text)
        self.assertTrue(self.report("r")["well"])

    def test_names_that_are_not_utf8(self):
        self.train("r", "--iterations", 2)
        with open(bytes(self.folder / "r") + b"/odd\xff", "w"):
            pass
        result = run("doctor", "r", "--json", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("odd\ufffd", [finding["file"] for finding in self.object_of(result)["findings"]])


class Results(DoctorTest):
    def test_runs_below_a_results_folder(self):
        self.train("results/runs/rpg/1", "--iterations", 3)
        for name in ("rpg/2", "gpomdp/1"):
            shutil.copytree(self.folder / "results/runs/rpg/1", self.folder / "results/runs" / name)
        (self.folder / "results/plan.toml").write_text("")
        report = self.report("results")
        self.assertEqual(list(report), RESULTS_FIELDS)
        self.assertEqual([report[field] for field in RESULTS_FIELDS],
                         ["results", "results", True, 3, 3, 0, 0, 0, [], []])
        self.assertEqual(self.doctor("results").stdout,
                         "results\n3 runs: 3 done, 0 under way, 0 failed, 0 damaged\n")
        (self.folder / "results/runs/gpomdp/1/timing.jsonl").unlink()
        report = self.report("results", status=1)
        self.assertEqual((report["well"], report["done"], report["damaged"]), (False, 2, 1))
        [damaged] = report["not_done_or_not_fine"]
        self.assertEqual(damaged["folder"], "results/runs/gpomdp/1")
        self.assertEqual(damaged["findings"], [{"file": "timing.jsonl", "severity": "damaged", "text": "is missing"}])

    def test_curves_that_are_kept_in_place_of_runs(self):
        self.succeed("compare", "--env", "LQR", "--budget", 60, "--seeds", 3, "--algos", "rpg,gpomdp", "--keep", "curves",
                     "--out", "c")
        self.assertEqual(self.doctor("c").stdout, "c\n6 runs: 6 done, 0 under way, 0 failed, 0 damaged\n")
        for text, finding in (("# 6 points, lost", "line 1 is damaged"),
                              ((self.folder / "c/runs/rpg/2.csv").read_text()[:-20], "has lost lines")):
            (self.folder / "c/runs/rpg/2.csv").write_text(text + "\n" if "lost" in text else text)
            report = self.report("c", status=1)
            self.assertEqual((report["well"], report["runs"], report["done"], report["damaged"]), (False, 6, 5, 1))
            self.assertEqual(report["findings"], [{"file": "runs/rpg/2.csv", "severity": "damaged", "text": finding}])


class WrongPaths(DoctorTest):
    def test_they_are_refused(self):
        (self.folder / "empty").mkdir()
        (self.folder / "file").write_text("")
        for path in ("nowhere", "empty", "file"):
            result = self.doctor(path, status=2)
            self.assertEqual(result.stdout, "")
            self.assertEqual(result.stderr, f"retropg: {path}: is neither a run folder (config.toml) nor a results "
                                            "folder (runs/)\n")


if __name__ == "__main__":
    unittest.main()
