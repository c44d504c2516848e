"""`retropg reproduce` with experiments of the user's own, several at once, and the reports it writes.

RETROPG is the program, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import csv
import json
import shlex
import signal
import unittest

from pages import Page, svg_of
from program import PROGRAM, TIMEOUT, ProgramTest, listing, run

LABEL = '<b> & "c"_%'  # means something to HTML, to CSV and to LaTeX
BASE = '[env]\nid = "LQR"\n[algo]\nbatch = 5\n'
PLAN = f"""
title = 'Mine & "yours"'
runs = 2
budget = 60
[[arm]]
label = '{LABEL}'
settings = ["algo.name=rpg", "algo.window=2"]
[[arm]]
label = "plain"
settings = ["algo.name=gpomdp"]
[[figure]]
[[figure]]
name = "used"
axis = "used"
"""
EXPECTED = f"""
[[area]]
arm = "plain"
value = -50.0
standard_error = 1.0
[[seconds]]
arm = "plain"
value = 12.5
[[claim]]
claim = "It is finite."
check = "above"
candidate = "plain"
value = -1e7
[[claim]]
claim = "It is < nothing & everything."
check = "below"
candidate = '{LABEL}'
value = -1e7
[[claim]]
claim = "They differ."
check = "ahead"
candidate = '{LABEL}'
reference = "plain"
factor = 1.0
"""
CLAIM_KEYS = ["claim", "verdict", "statistic", "estimate", "interval", "adjusted_p", "runs"]
FILES = ["arms", "claims.csv", "command.txt", "curves.csv", "figure-used.dat", "figure-used.gp", "figure-used.pdf",
         "figure-used.png", "figure-used.svg", "figure.dat", "figure.gp", "figure.pdf", "figure.png", "figure.svg",
         "pairs.csv", "plan.toml", "provenance.json", "report.html", "runs", "runs.csv", "scores.csv", "seconds.csv",
         "summary.csv", "summary.json", "table.tex", "timing.csv"]


class ReproduceTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("mine")

    def write(self, name, plan=PLAN, expected=EXPECTED, base=BASE):
        folder = self.folder / name
        folder.mkdir()
        (folder / "base.toml").write_text(base)
        (folder / "experiment.toml").write_text(plan)
        (folder / "expected.toml").write_text(expected)

    def reproduce(self, *arguments):
        return self.object_of(self.succeed("reproduce", *arguments, "--json"))

    def names(self, out):
        return sorted(path.name for path in (self.folder / out).iterdir())

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def refuse(self, *arguments):
        """One line, status 2, and nothing created."""
        before = listing(self.folder)
        result = run("reproduce", *arguments, cwd=self.folder)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertRegex(result.stderr, r"\Aretropg: [^\n]+\n\Z")
        self.assertEqual(listing(self.folder), before)
        return result.stderr


class OneExperiment(ReproduceTest):
    def test_writes_the_promised_files(self):
        report = self.reproduce("./mine/", "--runs", 3, "--out", "r")
        self.assertEqual(self.names("r"), FILES)
        self.assertEqual(report["experiment"], "mine")
        self.assertEqual((report["scale"], report["paper_runs"], report["seeds"]), (1.0, 2, 3))
        for name in ("figure", "figure-used"):
            self.assertTrue((self.folder / f"r/{name}.png").read_bytes().startswith(b"\x89PNG"))
        self.assertEqual([(row["arm"], row["paper_seconds"]) for row in self.rows("r/seconds.csv")], [("plain", "12.5")])

    def test_claims_have_verdicts_also_with_the_planned_runs(self):
        report = self.reproduce("./mine/", "--runs", 3, "--out", "r")
        self.assertEqual([claim["verdict"] for claim in report["claims"]][:2], ["holds", "does not hold"])
        for claim in report["claims"]:
            self.assertEqual(list(claim), [*CLAIM_KEYS, "at_paper_runs"])
            self.assertEqual(list(claim["at_paper_runs"]), CLAIM_KEYS[1:])
            self.assertEqual((claim["runs"], claim["at_paper_runs"]["runs"]), (3, 2))
            self.assertLessEqual(claim["interval"][0], claim["estimate"])
            self.assertLessEqual(claim["estimate"], claim["interval"][1])
            self.assertTrue(0.0 <= claim["adjusted_p"] <= 1.0)
        rows = self.rows("r/claims.csv")
        self.assertEqual([row["claim"] for row in rows], [claim["claim"] for claim in report["claims"]])
        self.assertEqual([row["verdict"] for row in rows], [claim["verdict"] for claim in report["claims"]])
        self.assertEqual([row["verdict_at_paper_runs"] for row in rows],
                         [claim["at_paper_runs"]["verdict"] for claim in report["claims"]])

    def test_fewer_runs_than_the_folder_has_leave_none_out(self):
        self.reproduce("./mine/", "--runs", 4, "--out", "r")
        files = {path.name: path.read_bytes() for path in (self.folder / "r").glob("*.csv")}
        result = self.succeed("reproduce", "./mine/", "--runs", 3, "--out", "r", "--json")
        self.assertIn("retropg: r: has 4 runs of each arm; all of them are kept, not only 3\n", result.stderr)
        self.assertEqual(self.object_of(result)["seeds"], 4)
        self.assertIn("seeds = 4\n", (self.folder / "r/plan.toml").read_text())
        for name, content in files.items():
            if name != "seconds.csv":
                self.assertEqual((self.folder / "r" / name).read_bytes(), content, name)
        self.write("other #2")
        result = self.succeed("reproduce", "./mine/", "./other #2/", "--out", "s", "--runs", 3)
        self.assertNotIn("are kept", result.stderr)
        result = self.succeed("reproduce", "./mine/", "./other #2/", "--out", "s", "--runs", 2)
        for name in ("s/mine", "s/other #2"):
            self.assertIn(f"retropg: {name}: has 3 runs of each arm; all of them are kept, not only 2\n", result.stderr)

    def test_as_many_runs_as_planned_need_no_second_verdict(self):
        for claim in self.reproduce("./mine/", "--out", "r")["claims"]:
            self.assertEqual(list(claim), CLAIM_KEYS)
            self.assertEqual(claim["runs"], 2)

    def test_more_runs_run_only_what_is_missing(self):
        flags = ("--keep", "curves")
        self.reproduce("./mine/", *flags, "--runs", 2, "--out", "r")
        before = (self.folder / "r/claims.csv").read_bytes()
        times = {path: path.stat().st_mtime_ns for path in self.folder.glob("r/runs/*/*.csv")}
        self.assertEqual(len(times), 4)
        self.assertFalse((self.folder / "r/runs.csv").exists(), "the same numbers once more")
        result = self.succeed("reproduce", "./mine/", *flags, "--runs", 3, "--out", "r")
        self.assertIn("retropg: r: has 4 of 6 runs\n", result.stderr)
        self.assertEqual({path: path.stat().st_mtime_ns for path in times}, times, "not run again")
        self.assertNotEqual((self.folder / "r/claims.csv").read_bytes(), before)
        self.reproduce("./mine/", *flags, "--runs", 3, "--out", "whole")
        for name in ("claims.csv", "summary.json", "table.tex"):
            self.assertEqual((self.folder / "r" / name).read_bytes(), (self.folder / "whole" / name).read_bytes(), name)

    def test_wrong_files_are_refused_in_one_line(self):
        (self.folder / "empty").mkdir()
        self.assertIn("empty/base.toml", self.refuse("./empty/"))
        self.assertIn("nowhere/: is not a folder", self.refuse("./nowhere/"))
        self.write("key", plan=PLAN.replace("budget", "treshold = 1\nbudget", 1))
        self.assertIn("key/experiment.toml: unknown key 'treshold'; did you mean 'threshold'?", self.refuse("./key/"))
        self.write("arm", expected=EXPECTED.replace('reference = "plain"', 'reference = "plane"'))
        self.assertIn("expected.toml: claim 3: unknown arm 'plane'; did you mean 'plain'?", self.refuse("./arm/"))
        self.assertIn("--keep", self.refuse("./mine/", "--keep", "nonsense"))


class Reports(ReproduceTest):
    def check_page(self, path):
        """Well-formed, and complete without a script or another file."""
        page = Page(path)
        for word in ("http", "<script", "<link", "@import", "url("):
            self.assertNotIn(word, page.code)
        self.assertEqual(page.links, [])
        for picture in page.pictures:
            self.assertTrue(svg_of(picture).tag.endswith("svg"))
        return page

    def test_the_page_of_an_experiment(self):
        report = self.reproduce("./mine/", "--runs", 3, "--out", "r")
        page = self.check_page(self.folder / "r/report.html")
        self.assertEqual(len(page.pictures), 2)
        for text in (report["title"], LABEL, "All trajectories per run, 3 runs (2 are planned).", "12.5",
                     "With the planned 2 runs", "algo.window = 2", 'id = "LinearQuadratic-v0"', "seconds of wall time"):
            self.assertIn(text, page.text)
        for claim in report["claims"]:
            for text in (claim["claim"], claim["verdict"], claim["statistic"]):
                self.assertIn(text, page.cells)
        started = json.loads((self.folder / "r/provenance.json").read_text())
        for key in ("started", "retropg", "compiler", "simd"):
            self.assertIn(started[key], page.cells)
        command = (self.folder / "r/command.txt").read_text().strip()
        self.assertIn(command, page.text)

    def test_the_page_of_a_comparison(self):
        self.succeed("compare", "--env", "LQR", "--budget", 60, "--seeds", 2, "--algos", "rpg,gpomdp", "--out", "c")
        page = self.check_page(self.folder / "c/report.html")
        self.assertEqual(len(page.pictures), 1)
        self.assertIn("Comparison on LinearQuadratic-v0", page.text)
        self.assertNotIn("Claims", page.text)

    def test_the_page_of_several_environments_with_settings_to_pick(self):
        self.succeed("compare", "--env", "LQR,Bandit", "--budget", 60, "--seeds", 2, "--algos", "rpg,gpomdp", "--sweep",
                     "optimizer.rate=0.01,0.1", "--out", "c")
        page = self.check_page(self.folder / "c/report.html")
        self.assertEqual(len(page.pictures), 3)
        for text in ("All 2 environments together", "LinearQuadratic-v0", "GaussianBandit-v0", "settings tried",
                     "optimizer.rate=0.01"):
            self.assertIn(text, page.text)
        self.assertTrue((self.folder / "c/GaussianBandit-v0/table.tex").is_file())

    def test_a_page_without_figures_says_so(self):
        result = run("reproduce", "./mine/", "--out", "r", cwd=self.folder, PATH=str(self.folder))
        self.assertEqual(result.returncode, 1)
        page = self.check_page(self.folder / "r/report.html")
        self.assertEqual(page.pictures, [])
        self.assertIn("its data are in figure-used.dat", page.text)

    def test_the_tables_for_latex(self):
        self.reproduce("./mine/", "--out", "r")
        text = (self.folder / "r/table.tex").read_text()
        for environment in ("table", "tabular"):
            self.assertEqual(text.count(f"\\begin{{{environment}}}"), 2)
            self.assertEqual(text.count(f"\\end{{{environment}}}"), 2)
        plain = text.replace("\\\\", "").replace("\\{", "").replace("\\}", "")
        self.assertEqual(plain.count("{"), plain.count("}"))
        self.assertIn('\\textless{}b\\textgreater{} \\& \\char34{}c\\char34{}\\_\\% & $', text)
        columns = [line.replace("\\&", "").count("&") for line in text.splitlines() if line.endswith("\\\\")]
        self.assertEqual(columns, [3] * 3 + [2] * 4)
        self.assertIn("It is \\textless{} nothing \\& everything. & does not hold & ", text)


class SeveralExperiments(ReproduceTest):
    def setUp(self):
        super().setUp()
        self.write("other #2", base=BASE.replace("LQR", "Bandit"), expected="")

    def test_each_is_as_if_it_was_run_alone(self):
        both = self.reproduce("./mine/", "./other #2/", "--out", "s")
        self.assertEqual(list(both), ["experiments", "folder"])
        self.assertEqual([one["experiment"] for one in both["experiments"]], ["mine", "other #2"])
        self.assertEqual([one["folder"] for one in both["experiments"]], ["s/mine", "s/other #2"])
        self.assertEqual(self.names("s"), ["experiments.json", "index.html", "mine", "other #2"])
        self.reproduce("./mine/", "--out", "alone")
        for name in ("summary.json", "claims.csv", "table.tex", "plan.toml", "figure.png"):
            self.assertEqual((self.folder / "s/mine" / name).read_bytes(), (self.folder / "alone" / name).read_bytes())
        self.assertEqual(self.names("s/other #2"), [name for name in FILES if name not in ("claims.csv", "seconds.csv")])

    def test_one_page_joins_them(self):
        self.reproduce("./mine/", "./other #2/", "--out", "s")
        page = Page(self.folder / "s/index.html")
        self.assertNotIn("http", page.code)
        self.assertNotIn("<script", page.code)
        self.assertEqual(sorted(set(page.links)), ["mine/report.html", "other%20%232/report.html"])
        self.assertEqual(page.pictures, ["mine/figure.svg", "other%20%232/figure.svg"])
        self.assertIn("Of 3 claims, 1 holds, 1 does not hold, 1 is not decided at this scale.", page.text)
        self.assertIn("It is < nothing & everything.", page.cells)

    def test_started_again_it_runs_what_is_missing(self):
        self.reproduce("./mine/", "--out", "s/mine")
        (self.folder / "s/experiments.json").write_text("{}")
        result = self.succeed("reproduce", "./mine/", "./other #2/", "--out", "s", "--runs", 3)
        self.assertIn("retropg: s/mine: has 4 of 6 runs\n", result.stderr)
        self.assertIn("retropg: experiment 2 of 2: other #2\n", result.stderr)
        self.assertNotIn("s/other #2: has", result.stderr)
        self.assertTrue(result.stdout.endswith("All experiments: s/index.html\n"))

    def test_a_signal_says_how_to_go_on(self):
        self.write("long", plan=PLAN.replace("budget = 60", "budget = 10000000000"))
        process = self.start("reproduce", "./mine/", "./long/")
        checkpoints = lambda: list(self.folder.glob("results/several__*/long/runs/*/*/checkpoints/*.safetensors"))
        self.wait_for(lambda: checkpoints() or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=TIMEOUT)[1]
        self.assertEqual(process.returncode, 130, error)
        command = shlex.split(error.split("go on with: ")[1])
        self.assertEqual(command[:-1], [PROGRAM, "reproduce", "./mine/", "./long/", "--out"])
        page = Page(self.folder / command[-1] / "index.html")
        self.assertEqual(set(page.links), {"mine/report.html"})
        self.assertIn("not run yet", page.cells)

    def test_nothing_is_created_if_one_of_them_is_wrong(self):
        self.assertIn("unknown experiment 'tabel2'; did you mean 'table2'?", self.refuse("./mine/", "tabel2"))
        self.assertIn("nowhere/: is not a folder", self.refuse("./mine/", "./nowhere/", "--out", "s"))
        self.assertIn("two experiments are called 'mine'", self.refuse("./mine/", "mine/"))
        self.assertIn("two experiments are called 'window'", self.refuse("all", "window"))

    def test_folders_of_others_stay(self):
        folder = self.folder / "s"
        folder.mkdir()
        (folder / "index.html").write_text("mine")
        self.assertIn("s: already exists", self.refuse("./mine/", "./other #2/", "--out", "s"))
        self.assertEqual((folder / "index.html").read_text(), "mine")

    def test_what_was_made_with_other_settings_is_refused_before_anything_runs(self):
        self.reproduce("./other #2/", "--out", "s/other #2")
        (self.folder / "s/experiments.json").write_text("{}")
        self.assertIn("--out s/other #2: was made with --seed 1, not 2",
                      self.refuse("./mine/", "./other #2/", "--out", "s", "--seed", 2))


class AllExperiments(ProgramTest):
    def test_a_signal_leaves_a_page_of_what_is_done(self):
        listed = self.object_of(self.succeed("list", "--json"))
        names = [experiment["name"] for experiment in listed["experiments"]]
        process = self.start("reproduce", "all", "--scale", 0.02, "--runs", 2, "--keep", "none")
        folders = lambda: sorted((self.folder / "results").glob("all__*/*/runs"))
        self.wait_for(lambda: len(folders()) > 1 or process.poll() is not None)
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=TIMEOUT)[1]
        self.assertEqual(process.returncode, 130, error)
        left = [line.split(": ")[1].removeprefix("left out ") for line in error.splitlines() if "needs MuJoCo" in line]
        self.assertEqual(left, ["halfcheetah", "swimmer"] if listed["mujoco"] is None else [])
        begun = [folder.parent.name for folder in folders()]
        self.assertEqual(begun, names[:len(begun)])
        page = Page(folders()[0].parent.parent / "index.html")
        self.assertEqual(set(page.links), {f"{name}/report.html" for name in begun[:-1]})
        for name in names[len(begun) - 1:]:
            self.assertEqual(f"{name}: not run yet." in page.text, name not in left)

    def test_too_small_a_scale_creates_nothing(self):
        for name in ("all", "table2"):
            self.check_too_small(name)

    def check_too_small(self, name):
        result = run("reproduce", name, "--scale", 0.0001, cwd=self.folder)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertRegex(result.stderr, r"\Aretropg: .* budget of \d+ trajectories is less than two batches of arm [^\n]*\n\Z")
        self.assertEqual(listing(self.folder), [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
