"""Folders made by somebody else: links of every kind at every name, escape sequences, foreign ids. Nothing outside the
folder is changed by any command, none waits for a pipe, and nothing reaches the terminal but text.

RETROPG is the program. Standard library only.
"""

import itertools
import os
import pathlib
import re
import shutil
import unittest

from program import ProgramTest
from run_folders import for_each, memory_folder, start

KINDS = ("link", "dangling", "folder", "hard", "pipe")
TRAIN = ("train", "--env", "LQR", "--algo", "rpg", "--set", "policy.evidence=steps", "--set", "train.eval_every=2",
         "--set", "train.eval_episodes=2", "--set", "checkpoint.every=2", "--set", "checkpoint.seconds=0", "--out", "r")
COMPARE = ("compare", "--env", "LQR", "--budget", 40, "--seeds", 2, "--algos", "rpg,gpomdp", "--keep", "all", "--out", "r")
CURVES = (*COMPARE[:-4], "--keep", "curves", "--out", "r")
BASE = '[env]\nid = "LQR"\n'
PLAN = 'title = "Own"\nruns = 2\nbudget = 40\n[[arm]]\nlabel = "a"\nsettings = ["algo.name=gpomdp"]\n'
NO_GNUPLOT = {"PATH": "/nowhere"}  # saves time where figures are not what is tested
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

# What a run does not need to go on: links there are replaced, and it ends well.
REPLACED = ["command.txt", "provenance.json", "status", "result.json", "failure.safetensors", "policy/best.safetensors",
            "policy/estimate.safetensors", "policy/final.safetensors", "checkpoints/8.safetensors", "checkpoints/window-8.bin",
            *(f"plot{ending}" for ending in (".dat", ".gp", ".png", ".svg", ".pdf")),
            *(f"{name}.tmp" for name in ("command.txt", "config.toml", "evaluations.npz", "provenance.json", "status",
                                         "result.json", "policy/best.safetensors", "policy/estimate.safetensors",
                                         "policy/final.safetensors", "checkpoints/6.safetensors",
                                         "checkpoints/8.safetensors", "checkpoints/window-8.bin", "failure.safetensors",
                                         *(f"plot{ending}" for ending in (".dat", ".gp", ".png", ".svg", ".pdf"))))]
FIGURES = [f"figure.{ending}" for ending in ("dat", "gp", "png", "svg", "pdf")]
TABLES = ["runs.csv", "scores.csv", "curves.csv", "summary.csv", "pairs.csv", "summary.json", "timing.csv", "table.tex",
          "report.html", *FIGURES]
REPLACED_RESULTS = ["provenance.json", "command.txt", "arms/rpg.toml", *TABLES,
                    *(f"{name}.tmp" for name in ("plan.toml", "provenance.json", *TABLES, "arms/rpg.toml"))]


def snapshot(folder):
    """Everything in a folder; the number of names of a file may change, since that is a name inside."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        about = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else None
        found[str(path.relative_to(folder))] = (about.st_mode, None if content is None else about.st_mtime_ns, content)
    return found


class Trap:
    """A folder `here` with a run or results `r`, and what lies outside of it."""

    def __init__(self, root, template):
        self.here, self.outside = root / "here", root / "outside"
        shutil.copytree(template, self.here, symlinks=True)
        self.outside.mkdir(parents=True)

    def set(self, name, kind):
        """Puts something in place of a file or folder of `r`; what it was is outside now."""
        inside, outside = self.here / "r" / name, self.outside / name.replace("/", "-")
        if os.path.lexists(inside):
            inside.rename(outside)
        elif kind in ("link", "hard"):
            outside.write_text("outside\n")
        if not inside.parent.is_dir():
            return
        if kind == "link":
            inside.symlink_to(outside)
        elif kind == "dangling":
            inside.symlink_to(outside.with_name(outside.name + "-new"))
        elif kind == "folder":
            folder = outside.with_name(outside.name + "-folder")
            folder.mkdir()
            (folder / "file").write_text("outside\n")
            inside.symlink_to(folder)
        elif kind == "hard" and outside.is_dir():
            shutil.copytree(outside, inside, copy_function=os.link)
        elif kind == "hard":
            os.link(outside, inside)
        else:
            os.mkfifo(inside)


class Strangers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = memory_folder()
        cls.addClassCleanup(temporary.cleanup)
        cls.root = pathlib.Path(temporary.name)
        cls.numbers = itertools.count()
        cls.one_run = cls.template("run", (*TRAIN, "--iterations", 6), cls.finish_run)
        cls.results = cls.template("results", COMPARE, cls.lose_a_run)
        cls.curves = cls.template("curves", CURVES, lambda r: (r / "runs/rpg/2.csv").unlink())

    @classmethod
    def template(cls, name, arguments, change):
        folder = cls.root / name
        folder.mkdir()
        result = start(folder, *arguments)
        assert result.returncode == 0, result.stderr
        change(folder / "r")
        return folder

    @staticmethod
    def finish_run(run):
        (run / "status").write_text("interrupted: SIGINT\n")
        for name in REPLACED[:8]:  # those of a run that is done or failed
            if not (run / name).exists():
                (run / name).write_text("old\n")

    @staticmethod
    def lose_a_run(results):
        shutil.rmtree(results / "runs/gpomdp/2")
        (results / "runs/rpg/2/status").write_text("running\n")

    def check(self, template, names, kind, commands, changes):
        """Every command in a copy with traps at these names; a problem, or nothing."""
        root = self.root / str(next(self.numbers))
        trap = Trap(root, template)
        for name in names:
            trap.set(name, kind)
        before = snapshot(trap.outside)
        problem = ""
        for arguments, status in commands:
            result = start(trap.here, *arguments, **changes)
            said = result.stdout + result.stderr
            if snapshot(trap.outside) != before:
                problem = "changes what is outside"
            elif status is not None and result.returncode != status or result.returncode not in (0, 1, 2):
                problem = f"ends with {result.returncode}"
            elif CONTROL.search(said):
                problem = "sends control characters to the terminal"
            elif result.returncode == 2 and len(re.sub("retropg: .* has [0-9]+ of [0-9]+ runs\n|retropg: experiment .*\n", "",
                                                       result.stderr).splitlines()) != 1:
                problem = "does not refuse in one line"
            if problem:
                problem = f"{' '.join(map(str, arguments))}: {problem}: {said}"
                break
        shutil.rmtree(root)
        return problem

    def check_all(self, template, cases, commands, **changes):
        problems = for_each(lambda case: self.check(template, case[0], case[1], commands, changes), cases)
        found = [f"{case}: {problem}" for case, problem in zip(cases, problems) if problem]
        self.assertEqual(found, [], "\n".join(found[:10]))

    RUN_COMMANDS = ((("doctor", "r"), None), (("eval", "r", "--episodes", 2), None),
                    (("plot", "r", "--metric", "return"), None), (("train", "--config", "r/config.toml", "--out", "r"), 2),
                    (("resume", "r", "--iterations", 8), None), (("compare", *COMPARE[1:]), 2))
    RESULTS_COMMANDS = ((("doctor", "r"), None), (("plot", "r", "--metric", "return"), None),
                        (("train", "--env", "LQR", "--iterations", 2, "--out", "r"), 2), (("resume", "r"), 2))

    def test_every_name_that_a_run_needs(self):
        files = sorted(str(path.relative_to(self.one_run / "r")) for path in (self.one_run / "r").rglob("*"))
        names = [name for name in files if name not in REPLACED]
        self.assertGreater(len(names), 12)
        self.check_all(self.one_run, [([name], kind) for name in names for kind in KINDS], self.RUN_COMMANDS, **NO_GNUPLOT)

    def test_every_name_that_a_run_replaces(self):
        commands = [(arguments, 0 if arguments[0] == "resume" else status) for arguments, status in self.RUN_COMMANDS]
        cases = [(REPLACED, kind) for kind in KINDS]
        self.check_all(self.one_run, cases, [(("plot", "r", "--metric", "return"), 0), *commands])

    def test_every_name_that_a_results_folder_needs(self):
        names = ["plan.toml", "arms", "runs", "runs/rpg", "runs/gpomdp", "runs/rpg/1", "runs/gpomdp/2", "runs/rpg/2/status",
                 *(f"runs/rpg/{name}" for name in ("1/config.toml", "1/status", "1/progress.csv", "1/timing.jsonl",
                                                   "1/checkpoints", "1/policy", "2/policy", "2/progress.csv",
                                                   "2/checkpoints", "2/timing.jsonl", "2/metrics.jsonl"))]
        self.check_all(self.results, [([name], kind) for name in names for kind in KINDS],
                       [*self.RESULTS_COMMANDS, (COMPARE, None)], **NO_GNUPLOT)

    def test_every_name_that_a_results_folder_replaces(self):
        self.check_all(self.results, [(REPLACED_RESULTS, kind) for kind in KINDS], [*self.RESULTS_COMMANDS, (COMPARE, 0)])

    def test_curves_in_place_of_runs(self):
        names = ["runs/rpg/1.csv", "runs/rpg/2", "runs/rpg/2.csv.tmp", "runs/rpg/2.csv"]
        self.check_all(self.curves, [([name], kind) for name in names for kind in KINDS],
                       [*self.RESULTS_COMMANDS, (CURVES, None)], **NO_GNUPLOT)

    def test_experiments(self):
        folder = self.root / "experiments"
        for name in ("one", "two"):
            (folder / name).mkdir(parents=True)
            (folder / name / "base.toml").write_text(BASE)
            (folder / name / "experiment.toml").write_text(PLAN)
        reproduce = ("reproduce", "./one", "./two", "--out", "r")
        self.assertEqual(start(folder, *reproduce).returncode, 0)
        replaced = ["index.html", "index.html.tmp", "experiments.json.tmp", "one/report.html", "one/figure.png.tmp"]
        self.check_all(folder, [(replaced, kind) for kind in KINDS], [(reproduce, 0), (("doctor", "r/one"), None)])
        needed = ("experiments.json", "one", "two/plan.toml", "two/runs", "two/runs/a/2")
        self.check_all(folder, [([name], kind) for name in needed for kind in KINDS], [(reproduce, None)])


class Text(ProgramTest):
    """What acts on a terminal, in every place that a stranger can write to."""

    EVIL = "\x1b]0;x\x07\u009b31m\u202e\u2066"

    def check(self, *arguments, status=None):
        result = start(self.folder, *arguments)
        said = result.stdout + result.stderr
        self.assertIsNone(CONTROL.search(said), repr(said))
        self.assertIn(result.returncode, (0, 1, 2) if status is None else (status,), said)
        return said

    def commands(self, name):
        for arguments in (("doctor", name), ("doctor", name, "--json"), ("eval", name, "--episodes", 2),
                          ("plot", name, "--metric", "return"), ("plot", name, "--metric", "return", "--json"),
                          ("resume", name, "--iterations", 4)):
            self.check(*arguments)

    def test_names_of_folders_and_files(self):
        name = f"r{self.EVIL}"
        self.assertIn("run folder: r", self.check("train", "--env", "LQR", "--iterations", 2, "--out", name, status=0))
        (self.folder / name / self.EVIL).write_text("")
        (self.folder / name / "policy" / self.EVIL).write_text("")
        self.assertIn("is not one of the program's files", self.check("doctor", name, status=0))
        self.commands(name)
        self.check("train", "--config", f"{self.EVIL}.toml", status=2)
        self.check("eval", self.EVIL, status=2)
        self.check(self.EVIL, status=2)

    def test_the_files_of_a_run(self):
        self.train("r", "--env", "LQR", "--iterations", 2)
        for file in sorted(path.name for path in (self.folder / "r").iterdir() if path.is_file()):
            whole = (self.folder / "r" / file).read_bytes()
            (self.folder / "r" / file).write_bytes(self.EVIL.encode() + whole[:whole.find(b"\n") + 1])
            self.commands("r")
            (self.folder / "r" / file).write_bytes(whole)
        for text in (f"failed: {self.EVIL}\n", f"interrupted: {self.EVIL}\n", f"{self.EVIL}\n"):
            (self.folder / "r/status").write_text(text)
            self.commands("r")
        (self.folder / "r/provenance.json").write_text(f'{{"retropg": "{self.EVIL[3:4]}\u009b\u202e"}}\n')
        self.commands("r")

    def test_foreign_ids_are_refused(self):
        self.train("r", "--env", "LQR", "--iterations", 2)
        config = (self.folder / "r/config.toml").read_text()
        for identity in ("../../outside", "/outside", ".", "..", "a/b", "gymnasium:outside:Id-v0", "python:outside",
                         "\\u001b[31m\\u009b\\u202e", "a\\nb"):
            (self.folder / "r/config.toml").write_text(re.sub('id = ".*"', lambda _: f'id = "{identity}"', config))
            (self.folder / "outside.py").write_text("open('imported', 'w')\n")
            self.commands("r")
            self.check("train", "--config", "r/config.toml", status=2)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["outside.py", "r"])

    def test_titles_labels_and_claims_of_an_experiment(self):
        (self.folder / "x").mkdir()
        (self.folder / "x/base.toml").write_text(BASE)
        escaped = "\\u001b[31m\\u009b\\u202e"
        plan = PLAN.replace("Own", f"Own {escaped}") + '[[arm]]\nlabel = "=b"\nsettings = ["algo.name=rpg"]\n'
        (self.folder / "x/experiment.toml").write_text(plan)
        (self.folder / "x/expected.toml").write_text(
            f'[[claim]]\nclaim = "@c {escaped}"\ncheck = "above"\ncandidate = "=b"\nvalue = -1e7\n')
        self.check("reproduce", "./x", "--out", "r", status=0)
        self.check("reproduce", "./x", "--out", "r", "--json", status=0)
        self.check("plot", "r", "--metric", "return", status=0)
        self.assertIn("\n\"'@c ", (self.folder / "r/claims.csv").read_text())
        (self.folder / "x/expected.toml").unlink()
        (self.folder / "x/experiment.toml").write_text(plan.replace('"=b"', f'"{escaped}"'))
        self.assertIn("control character", self.check("reproduce", "./x", "--out", "other", status=2))

    def test_text_cells_are_no_formulas(self):
        (self.folder / "x").mkdir()
        (self.folder / "x/base.toml").write_text(BASE)
        arms = "".join(f'[[arm]]\nlabel = "{label}"\nsettings = ["algo.name={name}"]\n' for label, name in
                       (("=cmd()", "rpg"), ("+1", "miw-pg"), ("-1", "bh-pg"), ("@x", "reinforce")))
        (self.folder / "x/experiment.toml").write_text(PLAN + arms)
        self.check("reproduce", "./x", "--out", "r", status=0)
        rows = (self.folder / "r/scores.csv").read_text().splitlines()[1:]
        self.assertEqual({row.split(",")[0] for row in rows}, {"a", '"\'=cmd()"', '"\'+1"', '"\'-1"', '"\'@x"'})

    def test_labels_stay_in_their_folder(self):
        (self.folder / "x").mkdir()
        (self.folder / "x/base.toml").write_text(BASE)
        (self.folder / "x/experiment.toml").write_text(
            PLAN.replace('"a"', '"."') + '[[arm]]\nlabel = ".."\nsettings = ["algo.name=rpg"]\n')
        self.check("reproduce", "./x", "--out", "r", status=0)
        self.assertEqual(sorted(path.name for path in (self.folder / "r/runs").iterdir()), ["_.", "_.."])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["r", "x"])

    def test_a_path_that_is_too_long_leaves_nothing(self):
        for path in ("/".join(["a"] * 2038), "a" * 300, "/".join(["b", "a" * 300, "c"])):
            self.check("train", "--env", "LQR", "--iterations", 2, "--out", path, status=2)
            self.check(*COMPARE[:-1], path, status=2)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_folder_that_is_moved_takes_its_run_along(self):
        process = self.start("train", "--env", "LQR", "--iterations", 10 ** 9, "--out", "r", "--set", "checkpoint.every=50")
        self.wait_for((self.folder / "r/policy/best.safetensors").exists)
        (self.folder / "r").rename(self.folder / "moved")
        self.train("r", "--env", "LQR", "--iterations", 3, "--seed", 2)  # another run has the name now
        other = {path: path.read_bytes() for path in (self.folder / "r").rglob("*") if path.is_file()}
        process.terminate()
        process.communicate()
        self.assertEqual({path: path.read_bytes() for path in (self.folder / "r").rglob("*") if path.is_file()}, other)
        self.assertEqual((self.folder / "moved/status").read_text(), "interrupted: SIGTERM\n")
        report = self.object_of(self.succeed("doctor", "moved", "--json"))
        self.assertEqual((report["well"], report["state"]), (True, "interrupted"))

    def test_resume_takes_no_other_settings(self):
        self.train("r", "--env", "LQR", "--iterations", 2)
        config = (self.folder / "r/config.toml").read_text()
        for before, after in (("every = 0", "every = 7"), ("tensorboard = true", "tensorboard = false"),
                              ("monitor = true", "monitor = false"), ("seconds = 60", "seconds = 61")):
            self.assertIn(before, config)
            (self.folder / "r/config.toml").write_text(config.replace(before, after))
            said = self.check("resume", "r", "--iterations", 4, status=2)
            self.assertIn("the run was made with", said)


if __name__ == "__main__":
    unittest.main()
