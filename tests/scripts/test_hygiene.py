"""Rules of the source tree that no compiler checks: who includes whom, marks, paths, documentation that names code.

RETROPG_SOURCE_DIR is the source tree, RETROPG the program. Standard library only.
"""

import json
import os
import pathlib
import re
import subprocess
import unittest

PROGRAM = os.path.abspath(os.environ["RETROPG"])
SOURCE = pathlib.Path(os.environ["RETROPG_SOURCE_DIR"])
LIBRARY = SOURCE / "src" / "retropg"

# A folder includes only folders above it.
ORDER = ["core", "kernels", "parallel", "trajectory", "environment", "network", "policy", "rollout", "baseline",
         "theory", "reuse", "optimizer", "solver", "estimator", "statistics", "training", "configuration", "storage",
         "experiment"]
# Narrower than the order: what these folders may include besides themselves.
ONLY = {"core": set(),
        "theory": {"core"},
        "kernels": {"core"},
        "network": {"core", "kernels"},
        "optimizer": {"core"},
        "solver": {"core"},
        "statistics": {"core", "parallel"}}
NEVER = {"estimator": {"environment", "rollout", "baseline"},
         "reuse": {"environment", "rollout", "baseline"},
         "baseline": {"environment", "rollout"}}
# Headers of others, and the only folders that may include them.
FOREIGN = {r"tbb/|oneapi/tbb": {"parallel"},
           r"hwy/": {"kernels"},
           r"mpi\.h": set(),
           r"toml\+\+/": {"configuration", "experiment"},
           r"CLI/": set(),
           r"mujoco": {"environment"},
           r"fstream$": {"storage"},
           r"filesystem$": {"storage"},
           r"spawn\.h|sys/wait\.h": set(),
           r"chrono$|ctime$|sys/time": {"configuration", "storage", "experiment"}}


def tracked_files():
    """What is or would be in the repository; without git, everything but build and output folders."""
    try:
        listed = subprocess.run(["git", "-c", f"safe.directory={SOURCE}", "ls-files", "-z", "--cached", "--others",
                                 "--exclude-standard"], cwd=SOURCE, check=True, capture_output=True, text=True).stdout
        names = [name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        skipped = {".git", "build", "runs", "results", ".venv", "__pycache__"}
        names = [str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*")
                 if path.is_file() and not skipped & set(path.relative_to(SOURCE).parts)]
    return sorted(name for name in names if (SOURCE / name).is_file())


def tracked_texts():
    for name in tracked_files():
        try:
            yield name, (SOURCE / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture


def library_files(*patterns):
    return sorted(path for pattern in patterns for path in LIBRARY.rglob(pattern))


def includes(path):
    return re.findall(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"]", path.read_text(), re.MULTILINE)


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def find(pattern, texts):
    """name:line of every match."""
    found = []
    for name, text in texts:
        for number, line in enumerate(text.splitlines(), start=1):
            if re.search(pattern, line):
                found.append(f"{name}:{number}: {line.strip()[:120]}")
    return found


class Includes(unittest.TestCase):
    def test_every_folder_has_its_place(self):
        self.assertEqual(sorted(path.name for path in LIBRARY.iterdir() if path.is_dir()), sorted(ORDER))
        self.assertEqual([path.name for path in LIBRARY.iterdir() if path.is_file()], [])

    def test_a_folder_includes_only_folders_above_it(self):
        wrong, seen = [], 0
        for path in library_files("*.hpp", "*.cpp"):
            folder = path.relative_to(LIBRARY).parts[0]
            for include in includes(path):
                if not include.startswith("retropg/"):
                    continue
                seen += 1
                target = include.split("/")[1]
                allowed = set(ORDER[:ORDER.index(folder)]) - NEVER.get(folder, set())
                if folder in ONLY:
                    allowed &= ONLY[folder]
                if target != folder and target not in allowed:
                    wrong.append(f"{path.relative_to(SOURCE)} includes {include}")
        self.assertGreater(seen, 200, "the includes are found at all")
        self.assertEqual(wrong, [])

    def test_own_headers_are_included_by_their_full_name(self):
        wrong = []
        for path in library_files("*.hpp", "*.cpp"):
            for include in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
                if not include.startswith("retropg/") or not (SOURCE / "src" / include).is_file():
                    wrong.append(f"{path.relative_to(SOURCE)} includes \"{include}\"")
        self.assertEqual(wrong, [])

    def test_headers_of_others_stay_where_they_belong(self):
        wrong = []
        for path in library_files("*.hpp", "*.cpp"):
            folder = path.relative_to(LIBRARY).parts[0]
            for include in includes(path):
                for pattern, folders in FOREIGN.items():
                    if re.match(pattern, include) and folder not in folders:
                        wrong.append(f"{path.relative_to(SOURCE)} includes {include}")
                if re.match(r"(unsupported/)?Eigen", include) and path.suffix == ".hpp":
                    wrong.append(f"{path.relative_to(SOURCE)} is a header and includes {include}")
        self.assertEqual(wrong, [])

    def test_only_parallel_starts_threads(self):
        wrong = []
        for path in library_files("*.hpp", "*.cpp"):
            text = without_comments(path.read_text()).replace("std::thread::hardware_concurrency", "")
            if path.relative_to(LIBRARY).parts[0] != "parallel" and re.search(
                    r"std::(thread|jthread|async)\b|pthread_create|#pragma omp|std::execution", text):
                wrong.append(str(path.relative_to(SOURCE)))
        self.assertEqual(wrong, [])


class Sources(unittest.TestCase):
    def test_every_header_is_read_once(self):
        self.assertGreater(len(library_files("*.hpp")), 40)
        for path in library_files("*.hpp"):
            if path.name.endswith("-inl.hpp"):
                continue  # Highway reads these once a target, with a guard of its own
            self.assertEqual(path.read_text().splitlines()[0], "#pragma once", path)

    def test_headers_open_no_namespace_for_others(self):
        self.assertEqual(find(r"^\s*using namespace", [(str(path.relative_to(SOURCE)), path.read_text())
                                                       for path in library_files("*.hpp")]), [])

    def test_nothing_asks_for_unsafe_arithmetic(self):
        # The words may stand in prose that says no to them.
        texts = [(name, re.sub(r"#[^\n]*", "", text)) for name, text in tracked_texts()
                 if name.endswith((".cmake", "CMakeLists.txt", ".json", ".in")) and not name.startswith("benchmarks/")]
        self.assertEqual(find("fast-math|Ofast|ffp-contract=(on|fast)|-march=native", texts), [])

    def test_random_numbers_are_named(self):
        texts = [(str(path.relative_to(SOURCE)), without_comments(path.read_text()))
                 for path in library_files("*.hpp", "*.cpp")]
        self.assertEqual(find(r"\bstd::(random_device|mt19937|normal_distribution|uniform_\w+_distribution|rand)\b|"
                              r"\bs?rand\(", texts), [])


class Texts(unittest.TestCase):
    def test_there_are_texts(self):
        names = tracked_files()
        self.assertIn("CMakeLists.txt", names)
        self.assertIn("src/retropg/core/types.hpp", names)
        self.assertNotIn("build", {name.split("/")[0] for name in names})

    def test_no_marks_of_unfinished_work(self):
        marks = "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"])
        self.assertEqual(find(rf"\b({marks})\b", tracked_texts()), [])

    def test_spelling_is_american(self):
        # Broken into parts, so that this file does not find itself.
        words = "|".join(["(behavi|col|fav|hon|neighb)" + "our", r"\bcent" + r"re(d|s)?\b", "artef" + "act",
                          "(mod|lab|trav|canc)" + "ell(ed|ing)", "catal" + "ogue", "anal" + r"ys(e|ed|ing)\b",
                          "(general|initial|maxim|minim|normal|optim|parallel|parametr|random|regular|serial|summar|"
                          r"vector)is(e|ed|er|es|ing|ation)\b"])
        # Names of keys that were renamed: the program says what they are called now.
        old_keys = "pois[.](cent" + "red|self_normal" + "ised)"
        self.assertEqual(find(rf"(?i){words}", [(name, re.sub(old_keys, "", text)) for name, text in self.prose()]), [])

    def test_rates_are_said_with_per(self):
        # "one row per chunk", not "one row a" chunk; but "draws a batch" and "the steps a trajectory can have" are fine.
        things = (r"(numbers?|lines?|rows?|trajectories|steps|points?|bytes|seconds|files?|"
                  r"(one|an?|two|three|[0-9]+) (draw|call|update)s?)")
        units = "(trajectory|iteration|step|chunk|run|batch|parameter|action|method|lane|thread|row|file)"
        verbs = "(can|may|must|has|needs|costs|of at most)"
        self.assertEqual(find(rf"(?i)\b{things} an? {units}\b(?! {verbs}\b)", self.prose()), [])

    def prose(self):
        """All texts but what others wrote or a program recorded."""
        return [(name, text) for name, text in tracked_texts() if not name.startswith(("models/", "tests/golden/"))]

    def test_lines_end_as_lines_do(self):
        wrong = [name for name, text in tracked_texts()
                 if "\r" in text or (text and not text.endswith("\n")) or
                 (name.endswith((".cpp", ".hpp", ".py", ".cmake")) and re.search(r"[ \t]+$", text, re.MULTILINE))]
        self.assertEqual(wrong, [])

    def test_lines_of_documents_have_at_most_120_letters(self):
        for name in ("README.md", "CONTRIBUTING.md", "docs/design.md", "docs/files.md"):
            wrong = [line for line in (SOURCE / name).read_text().splitlines()
                     if len(line) > 120 and not line.startswith("|")]
            self.assertEqual(wrong, [], name)


class Scripts(unittest.TestCase):
    def scripts(self):
        files = [path for path in sorted((SOURCE / "script").iterdir()) if path.is_file()]
        return files + [SOURCE / ".ci" / "run"]

    def test_scripts_can_be_run(self):
        self.assertGreater(len(self.scripts()), 4)
        for path in self.scripts():
            self.assertTrue(os.access(path, os.X_OK), f"{path.name} is not executable")
            first = path.read_text().splitlines()[0]
            if "bash" in first:
                result = subprocess.run(["bash", "-n", str(path)], capture_output=True, text=True)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertRegex(path.read_text(), r"(?m)^set -euo pipefail$", f"{path.name} goes on after a failure")
            elif "python" in first:
                compile(path.read_text(), str(path), "exec")
            else:
                self.fail(f"{path.name} begins with {first}")

    def test_python_files_compile(self):
        for name, text in tracked_texts():
            if name.endswith(".py"):
                compile(text, name, "exec")


class Notation(unittest.TestCase):
    """docs/notation.md: symbol, meaning, identifier, equation, file."""

    def rows(self):
        path = SOURCE / "docs" / "notation.md"
        if not path.is_file():
            self.skipTest("docs/notation.md is not there")
        rows, header = [], None
        for line in path.read_text().splitlines():
            if not line.startswith("|"):
                header = None
                continue
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if header is None:
                header = [cell.lower() for cell in cells]
            elif "identifier" in header and not set(line) <= set("|-: "):
                self.assertEqual(len(cells), len(header), line)
                rows.append(dict(zip(header, cells)))
        return rows

    def test_has_the_columns(self):
        rows = self.rows()
        self.assertGreater(len(rows), 20)
        for row in rows:
            self.assertEqual(list(row), ["symbol", "meaning", "identifier", "equation", "file"])
            for column in ("symbol", "meaning", "identifier", "file"):
                self.assertTrue(row[column], row)

    def test_every_identifier_is_in_its_file(self):
        wrong = []
        for row in self.rows():
            files = re.findall(r"`([^`]+)`", row["file"]) or [row["file"]]
            identifiers = re.findall(r"`([^`]+)`", row["identifier"]) or [row["identifier"]]
            texts = []
            for file in files:
                path = next((path for path in (SOURCE / file, LIBRARY / file) if path.is_file()), None)
                if path is None:
                    wrong.append(f"{row['symbol']}: no file {file}")
                else:
                    texts.append(path.read_text())
            for identifier in identifiers:
                pattern = rf"\b{identifier}\b" if re.fullmatch(r"\w+", identifier) else re.escape(identifier)
                if texts and not any(re.search(pattern, text) for text in texts):
                    wrong.append(f"{row['symbol']}: no {identifier} in {', '.join(files)}")
        self.assertEqual(wrong, [])


class Methods(unittest.TestCase):
    """Every algorithm has a page, docs/methods/NAME.md, that names its keys and is linked from the overview."""

    RECURSIVE = ["svrpg", "srvrpg", "storm-pg", "page-pg", "def-pg"]
    OVER_PARAMETERS = ["pgpe", "pb-rpg", "pb-miw", "pb-bh", "p-pois"]
    WINDOWED = ["rpg", "rpg-theory", "miw-pg", "bh-pg", "rnpg", "bpo", "pb-rpg", "pb-miw", "pb-bh"]
    # What docs/configuration.md calls several algorithms at once.
    GROUPS = {"Recursive methods": RECURSIVE, "parameter-based exploration": OVER_PARAMETERS}
    # Keys whose meaning there names no algorithm.
    ALSO = {"algo.window": WINDOWED, "algo.coefficients": ["rpg", "pb-rpg"], "algo.divergence_bound": ["rpg-theory"]}

    @classmethod
    def setUpClass(cls):
        listed = subprocess.run([PROGRAM, "list", "--json"], check=True, capture_output=True, text=True).stdout
        cls.names = [algorithm["name"] for algorithm in json.loads(listed)["algorithms"]]
        cls.overview = (SOURCE / "docs" / "algorithms.md").read_text()
        cls.configuration = (SOURCE / "docs" / "configuration.md").read_text()

    def page(self, name):
        path = SOURCE / "docs" / "methods" / f"{name}.md"
        self.assertTrue(path.is_file(), f"no page docs/methods/{name}.md")
        return path.read_text()

    def named(self, words):
        """The algorithms in `a, b` or `a and b` or the name of a group; none if the words are others."""
        parts = re.split(r", | and ", words)
        found = [name for part in parts for name in self.GROUPS.get(part, [part] if part in self.names else [])]
        return found if all(part in self.GROUPS or part in self.names for part in parts) else []

    def keys_by_algorithm(self):
        """Keys that docs/configuration.md gives to single algorithms: `Only for x.` above a table, `x, y: ...` in it."""
        result = {name: {"algo.batch"} for name in self.names}
        section = []
        for line in self.configuration.splitlines():
            if line.startswith("## "):
                section = []
            if only := re.match(r"Only for ([^.:]+)[.:]", line):
                section = self.named(only.group(1))
            if row := re.match(r"\| `([a-z]+\.\w+)` \|.*\| ([^|]*) \|$", line):
                prefix = re.match(r"([^:;(]+):", row.group(2))
                for name in (self.named(prefix.group(1)) if prefix else []) or section:
                    result[name].add(row.group(1))
        for key, names in self.ALSO.items():
            for name in names:
                result[name].add(key)
        return result

    def test_every_algorithm_has_a_page_that_the_overview_links(self):
        self.assertGreater(len(self.names), 15)
        for name in self.names:
            self.assertTrue(self.page(name).startswith(f"# {name}"), f"{name}.md is about something else")
            self.assertTrue(f"(methods/{name}.md)" in self.overview, f"algorithms.md does not link {name}.md")
        pages = {path.stem for path in (SOURCE / "docs" / "methods").glob("*.md")}
        self.assertEqual(pages - set(self.names), set(), "pages of algorithms that are not there")

    def test_every_page_names_the_keys_of_its_algorithm(self):
        keys = self.keys_by_algorithm()
        self.assertIn("algo.epoch", keys["srvrpg"])
        self.assertIn("pois.delta", keys["p-pois"])
        self.assertIn("hyperpolicy.variance", keys["pb-bh"])
        wrong = [f"{name}.md does not name `{key}`" for name in self.names for key in sorted(keys[name])
                 if not re.search(rf"`{re.escape(key)}[` ]", self.page(name))]
        self.assertEqual(wrong, [])

    def test_pages_name_no_keys_that_are_not_there(self):
        known = set(re.findall(r"^\| `([a-z]+\.\w+)` \|", self.configuration, re.MULTILINE))
        sections = "|".join({key.split(".")[0] for key in known})
        for text in [self.overview, *map(self.page, self.names)]:
            self.assertLessEqual(set(re.findall(rf"`((?:{sections})\.[a-z_0-9]+)[` ]", text)), known)

    def test_links_of_the_pages_lead_somewhere(self):
        for name in self.names:
            for target in re.findall(r"\]\(([^)\s:]+)\)", self.page(name)):
                self.assertTrue((SOURCE / "docs" / "methods" / target.split("#")[0]).is_file(), f"{name}.md: {target}")

    def test_tests_and_files_that_the_pages_name_are_there(self):
        tests = "".join(path.read_text() for path in (SOURCE / "tests").rglob("*_test.cpp"))
        named = re.findall(r"`([A-Z]\w+)\.([A-Z]\w+)`", self.overview)
        self.assertGreater(len(named), 20)
        for suite, test in named:
            self.assertTrue(re.search(rf"TEST(_F|_P)?\({suite}, {test}\)", tests), f"no test {suite}.{test}")
        for text in [self.overview, *map(self.page, self.names)]:
            for file in re.findall(r"`(src/[\w/*.]+\.[ch]pp)`", text):
                self.assertTrue(list(SOURCE.glob(file)), file)


if __name__ == "__main__":
    unittest.main(verbosity=1)
