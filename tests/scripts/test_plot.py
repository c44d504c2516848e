"""`retropg plot` from outside: which curves it draws, where, and what it refuses.

RETROPG is the program. Standard library only.
"""

import shutil
import unittest

from program import ProgramTest, listing, run

COMPARE = ("compare", "--env", "LQR", "--budget", 120, "--seeds", 3)
ENDINGS = (".dat", ".gp", ".pdf", ".png", ".svg")


class PlotTest(ProgramTest):
    def report(self, *arguments):
        return self.object_of(self.succeed("plot", *arguments, "--json"))

    def lqr(self, out, *arguments):
        return self.train(out, "--env", "LQR", "--budget", 120, *arguments)

    def check_figure(self, stem):
        for ending in ENDINGS:
            self.assertTrue((self.folder / (stem + ending)).is_file(), ending)
        self.assertTrue((self.folder / (stem + ".png")).read_bytes().startswith(b"\x89PNG"))
        self.assertTrue((self.folder / (stem + ".pdf")).read_bytes().startswith(b"%PDF-"))
        return (self.folder / (stem + ".svg")).read_text()

    def blocks(self, stem):
        """Title, label, and runs of each curve, and its points."""
        blocks = []
        for line in (self.folder / (stem + ".dat")).read_text().splitlines()[1:]:
            if line.startswith("#"):
                blocks.append((line[2:], []))
            elif line:
                blocks[-1][1].append([float(cell) for cell in line.split()])
        return blocks


class Runs(PlotTest):
    def test_one_run_is_drawn_into_its_folder(self):
        self.lqr("r", "--algo", "rpg")
        result = self.succeed("plot", "r")
        self.assertEqual((result.stdout, result.stderr), ("Figure and data: r/plot.png\n", ""))
        svg = self.check_figure("r/plot")
        for text in ("LinearQuadratic-v0: rpg, seed 1", "Return", "Effective sample size", "divergence", "alpha", "lambda"):
            self.assertIn(text, svg)
        self.assertEqual(self.object_of(self.succeed("doctor", "r", "--json"))["well"], True)

    def test_the_curve_is_that_of_the_run(self):
        self.lqr("r", "--algo", "rpg")
        self.succeed("plot", "r", "--metric", "return")
        rows = [line.split(",") for line in (self.folder / "r/progress.csv").read_text().splitlines()[1:]]
        (title, points), = self.blocks("r/plot")
        self.assertEqual(title, " | rpg, seed 1 | 1 run")
        self.assertEqual(len(points), len(rows))
        for row, point in zip(rows, points):
            self.assertEqual(point[0], float(row[1]))
            self.assertAlmostEqual(point[1], float(row[3]), delta=1e-5 * abs(point[1]))

    def test_several_runs_are_drawn_together_here(self):
        self.lqr("a", "--algo", "rpg")
        self.lqr("b", "--algo", "gpomdp", "--seed", 7)
        self.lqr("c", "--algo", "rpg", "--window", 2)
        report = self.report("a", "b", "c")
        self.assertEqual(list(report), ["environment", "metrics", "series", "notes", "drawn", "file"])
        self.assertEqual(report["metrics"], ["return", "ess", "divergence", "coefficients"])
        self.assertEqual((report["drawn"], report["file"], report["notes"]), (True, "plot.png", []))
        self.assertEqual(report["environment"], "LinearQuadratic-v0")
        self.assertEqual(report["series"], [{"label": "rpg, seed 1 (a)", "algorithm": "rpg", "runs": 1},
                                            {"label": "gpomdp, seed 7", "algorithm": "gpomdp", "runs": 1},
                                            {"label": "rpg, seed 1 (c)", "algorithm": "rpg", "runs": 1}])
        svg = self.check_figure("plot")
        for series in report["series"]:
            self.assertEqual(svg.count(f">{series['label']}<"), 1, "one legend")
        titles = [title.split(" | ")[0] + ": " + title.split(" | ")[1] for title, _ in self.blocks("plot")]
        self.assertIn("Effective sample size: gpomdp, seed 7", titles)
        self.assertNotIn("Share of a batch: gpomdp, seed 7", titles, "it has no past batches")

    def test_a_run_under_way_is_drawn_as_far_as_it_got(self):
        self.lqr("r", "--algo", "rpg")
        progress = self.folder / "r/progress.csv"
        progress.write_text(progress.read_text()[:-20])
        self.succeed("plot", "r", "--metric", "return")
        self.assertEqual(len(self.blocks("r/plot")[0][1]), 11)

    def test_out_is_the_path_without_its_ending(self):
        self.lqr("r")
        (self.folder / "here").mkdir()
        for out, file in (("here/a", "here/a.png"), ("here/b.svg", "here/b.png")):
            result = self.succeed("plot", "r", "--metric", "return", "--out", out)
            self.assertEqual(result.stdout, f"Figure and data: {file}\n")
        self.assertEqual(listing(self.folder / "here"), sorted(name + ending for name in "ab" for ending in ENDINGS))

    def test_drawn_again_it_has_the_same_bytes(self):
        self.lqr("r")
        pictures = []
        for _ in range(2):
            self.succeed("plot", "r")
            pictures.append([(self.folder / ("r/plot" + ending)).read_bytes() for ending in ENDINGS])
        self.assertTrue(pictures[0] == pictures[1])


class Results(PlotTest):
    def test_a_results_folder_has_a_band_for_each_arm(self):
        self.succeed(*COMPARE, "--algos", "rpg,gpomdp,rpg:algo.window=3", "--keep", "metrics", "--out", "c")
        report = self.report("c")
        self.assertEqual(report["metrics"], ["return", "ess", "divergence", "coefficients"])
        self.assertEqual([(series["label"], series["runs"]) for series in report["series"]],
                         [("rpg", 3), ("gpomdp", 3), ("rpg:algo.window=3", 3)])
        svg = self.check_figure("c/plot")
        self.assertIn("Mean over 3 runs, with its pointwise 95 % Student t interval.", svg)
        self.assertIn("Comparison on LinearQuadratic-v0", svg)
        for title, points in self.blocks("c/plot"):
            self.assertTrue(title.endswith("3 runs"), title)
            for x, mean, low, high in points:
                self.assertTrue(low <= mean <= high, title)
                if not title.startswith("Return"):
                    self.assertGreaterEqual(low, 0.0)

    def test_metrics_that_were_not_kept_are_named_with_the_setting(self):
        self.succeed(*COMPARE, "--algos", "rpg,gpomdp", "--out", "c")
        result = self.succeed("plot", "c")
        self.assertEqual(result.stderr, "retropg: coefficients: 6 of 6 runs have no metrics.jsonl; compare --keep metrics "
                                        "keeps it, and train writes it with log.metrics above 0\n")
        before = listing(self.folder)
        result = run("plot", "c", "--metric", "coefficients", "--out", "other", cwd=self.folder)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("--keep metrics", result.stderr)
        self.assertEqual(listing(self.folder), before)

    def test_many_arms_are_drawn_as_small_panels(self):
        arms = ",".join(["gpomdp", *(f"rpg:algo.window={window}" for window in range(2, 10))])
        self.succeed(*COMPARE, "--algos", arms, "--out", "c")
        result = self.succeed("plot", "c")
        self.assertIn("more than 8 curves: only the return is drawn", result.stderr)
        script = (self.folder / "c/plot.gp").read_text()
        self.assertEqual(script.count("\nplot "), 9)

    def test_runs_that_are_not_done_are_left_out(self):
        self.succeed(*COMPARE, "--algos", "rpg,gpomdp", "--out", "c")
        for seed in (1, 2, 3):
            (self.folder / f"c/runs/gpomdp/{seed}/status").write_text("running\n")
        (self.folder / "c/runs/rpg/2/status").write_text("interrupted: SIGINT\n")
        report = self.report("c", "--metric", "return")
        self.assertEqual([(series["label"], series["runs"]) for series in report["series"]], [("rpg", 2)])
        self.assertEqual(report["notes"], ["left out 4 runs that are not done"])
        for seed in (1, 3):
            shutil.rmtree(self.folder / f"c/runs/rpg/{seed}")
        result = run("plot", "c", cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (2, "retropg: c: has no run that is done\n"))

    def test_curves_that_are_kept_are_drawn(self):
        self.succeed(*COMPARE, "--algos", "rpg,gpomdp", "--out", "whole")
        self.succeed(*COMPARE, "--algos", "rpg,gpomdp", "--keep", "curves", "--out", "c")
        report = self.report("c")
        self.assertEqual(report["metrics"], ["return"])
        self.assertEqual(report["notes"], ["c was made with --keep curves, which keeps only the return"])
        self.succeed("plot", "whole", "--metric", "return")
        self.assertEqual(self.blocks("c/plot"), self.blocks("whole/plot"))
        self.assertEqual(self.report("c", "--metric", "return")["notes"], [])
        result = run("plot", "c", "--metric", "return,ess", cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (2, "retropg: --metric return,ess: c was made with --keep "
                                                                 "curves, which keeps only the return\n"))

    def test_a_sweep_is_drawn_with_its_picked_settings_on_the_seeds_of_the_report(self):
        for keep in ("policies", "curves"):
            report = self.object_of(self.succeed(*COMPARE, "--algos", "rpg,pois", "--sweep", "optimizer.rate=0.01,0.1",
                                                 "--pick-seeds", 2, "--keep", keep, "--out", keep, "--json"))
            picked = ["rpg:" + report["sweep"]["arms"][0]["picked"], "pois"]
            drawn = self.report(keep, "--metric", "return")
            self.assertEqual([(series["label"], series["runs"]) for series in drawn["series"]],
                             [(label, 3) for label in picked])
            self.assertEqual(drawn["notes"], [])

    def test_several_environments_are_refused_with_a_hint(self):
        several = ("compare", "--env", "CartPole,LQR", "--budget", 60, "--seeds", 2, "--algos", "rpg")
        self.succeed(*several, "--out", "c")
        self.succeed(*several, "--keep", "curves", "--out", "d")
        hint = "has runs on CartPoleContinuous-v0 and LinearQuadratic-v0; "
        for folder, what in (("c", "draw run folders of one of them, such as c/runs/LinearQuadratic-v0_rpg/1"),
                             ("d", "each has a figure in its own folder there")):
            result = run("plot", folder, cwd=self.folder)
            self.assertEqual((result.returncode, result.stderr), (2, f"retropg: {folder}: {hint}{what}\n"))

    def test_arms_and_runs_together(self):
        self.succeed(*COMPARE, "--algos", "rpg", "--out", "c")
        self.succeed(*COMPARE, "--algos", "rpg", "--window", 2, "--out", "d")
        self.lqr("r", "--algo", "bh-pg")
        labels = [series["label"] for series in self.report("c", "d", "r")["series"]]
        self.assertEqual(labels, ["rpg (c)", "rpg (d)", "bh-pg, seed 1"])


class BadInput(PlotTest):
    def refuse(self, *arguments):
        before = listing(self.folder)
        result = run("plot", *arguments, cwd=self.folder)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertEqual(listing(self.folder), before, "nothing is created")
        self.assertEqual(result.stderr.count("\n"), 1)
        return result.stderr

    def test_is_refused_in_one_line(self):
        self.lqr("r")
        self.train("cart", "--iterations", 2)
        (self.folder / "empty").mkdir()
        for arguments, text in ((("nowhere",), "nowhere: is neither a run folder (config.toml) nor a results folder"),
                                (("empty",), "empty: is neither a run folder"),
                                (("r", "cart"), "cart: is a run on CartPoleContinuous-v0, the others are on Linear"),
                                (("r", "--metric", "retrun"), "unknown metric 'retrun'; did you mean 'return'?"),
                                (("r", "--metric", "return,"), "unknown metric ''"),
                                (("r", "--out", "no/such/folder"), "there is no folder no/such"),
                                (("r", "--out", "empty/"), "must end with a name"),
                                (("r", "r"), "r: is given twice"),
                                ((), "the argument 'folders' is missing")):
            self.assertIn(text, self.refuse(*arguments))

    def test_damaged_files_are_named(self):
        self.lqr("r")
        whole = (self.folder / "r/progress.csv").read_text()
        (self.folder / "r/progress.csv").write_text(whole.replace("\n5,", "\n5,x"))
        self.assertIn("r/progress.csv: line 6: 'x50' is not a number", self.refuse("r"))
        (self.folder / "r/progress.csv").write_text(whole.splitlines()[0] + "\n")
        self.assertIn("r: has no iterations yet", self.refuse("r"))
        self.succeed(*COMPARE, "--algos", "rpg", "--out", "c")
        (self.folder / "c/plan.toml").write_text("title = ")
        self.assertIn("c/plan.toml: is damaged", self.refuse("c"))
        (self.folder / "c/plan.toml").write_text("[[arm]]\nlabel = 3\n")
        self.assertIn("c/plan.toml: has an arm without label or configuration", self.refuse("c"))

    def test_without_gnuplot_the_data_stay(self):
        self.lqr("r")
        result = run("plot", "r", "--json", cwd=self.folder, PATH=str(self.folder))
        self.assertEqual(result.returncode, 1)
        self.assertIn("the figure was not drawn: gnuplot is not installed", result.stderr)
        report = self.object_of(result)
        self.assertEqual((report["drawn"], report["file"]), (False, "r/plot.dat"))
        self.assertTrue(self.blocks("r/plot"))


if __name__ == "__main__":
    unittest.main()
