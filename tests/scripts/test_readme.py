"""What the documentation tells a reader to type is run, and its C++ programs are compiled and run.

Fenced blocks of README.md and docs/*.md: `sh` is run, `sh notest` is not; `cpp` with an `int main` is compiled against
the built library and run, and so is every program of examples/cpp. `script/run` is the built program here, other scripts do nothing (they build or test).
RETROPG is the program, RETROPG_SOURCE_DIR the source tree, RETROPG_BUILD_DIR the build. Standard library only.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.path.abspath(os.environ["RETROPG"])
SOURCE = pathlib.Path(os.environ["RETROPG_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["RETROPG_BUILD_DIR"])
TIMEOUT = 600  # seconds

LIBRARIES = ["-lhwy", "-ltbb", "-lfmt", "-ltomlplusplus"]
# The MuJoCo this build links, if any: a file, or the name of the system's library.
if mujoco := os.environ.get("RETROPG_MUJOCO"):
    LIBRARIES += [mujoco, f"-Wl,-rpath,{os.path.dirname(mujoco)}"] if os.path.isabs(mujoco) else [f"-l{mujoco}"]
# These change the machine or need the network: such a block should be `sh notest`.
FORBIDDEN = ["apt", "apt-get", "sudo", "su", "git", "pip", "pip3", "curl", "wget", "docker", "ssh"]


def documents():
    return [path for path in [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))] if path.is_file()]


def blocks(path):
    """(info string, text, line) of every fenced block."""
    found, fence, info, lines, start = [], None, "", [], 0
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        match = re.match(r"^\s*(`{3,}|~{3,})\s*(.*?)\s*$", line)
        if fence is None and match:
            fence, info, lines, start = match.group(1), match.group(2), [], number
        elif fence is not None and match and match.group(1).startswith(fence) and not match.group(2):
            found.append((info, "\n".join(lines) + "\n", start))
            fence = None
        elif fence is not None:
            lines.append(line)
    if fence is not None:
        raise AssertionError(f"{path.name}:{start}: a block is not closed")
    return found


def blocks_of(path, language):
    return [(text, line) for info, text, line in blocks(path) if info == language]


def sanitized():
    cache = BUILD / "CMakeCache.txt"
    return cache.is_file() and re.search(r"^RETROPG_SANITIZE:[A-Z]+=.+$", cache.read_text(), re.MULTILINE) is not None


def write_script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/usr/bin/env bash\n" + text)
    path.chmod(0o755)


@unittest.skipIf(sanitized(), "sanitized: the release build runs the documentation")
class Documentation(unittest.TestCase):
    def folder_like_the_source(self):
        """A temporary folder in which the commands find what they name: links to the source, stand-ins for scripts."""
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        tree = folder / "tree"
        tree.mkdir()
        for entry in SOURCE.iterdir():
            if entry.name not in {"script", "build", "runs", "results", ".git"}:
                (tree / entry.name).symlink_to(entry)
        program = f'exec "{PROGRAM}" "$@"\n'
        for script in sorted((SOURCE / "script").iterdir()):
            if os.access(script, os.X_OK):
                write_script(tree / "script" / script.name,
                             "if [ $# -eq 0 ]; then set -- reproduce table2; fi\n" + program
                             if script.name == "run" else "exit 0\n")
        write_script(folder / "bin" / "retropg", program)
        for name in FORBIDDEN:
            write_script(folder / "bin" / name,
                         f'echo "{name} is not run in tests: mark the block sh notest" >&2\nexit 9\n')
        return tree, folder / "bin"

    def test_the_commands_work(self):
        for path in documents():
            shell = blocks_of(path, "sh")
            if not shell:
                continue
            tree, tools = self.folder_like_the_source()
            environment = {key: value for key, value in os.environ.items() if not key.startswith("RETROPG")}
            environment["PATH"] = f"{tools}:{environment['PATH']}"
            for text, line in shell:
                with self.subTest(document=path.name, line=line):
                    result = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=tree, env=environment,
                                            text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
                    self.assertEqual(result.returncode, 0,
                                     f"{path.name}:{line}\n{text}\n{result.stdout}\n{result.stderr}")

    def test_the_readme_has_commands_to_run(self):
        readme = SOURCE / "README.md"
        self.assertTrue(readme.is_file(), "there is no README.md")
        text = "".join(text for text, _ in blocks_of(readme, "sh"))
        self.assertRegex(text, r"(?m)^\s*(script/run|retropg)\b", "no block of README.md marked sh runs the program")

    def test_the_first_comparison_shows_learning(self):
        text = "".join(text for text, _ in blocks_of(SOURCE / "README.md", "sh"))
        arguments = re.search(r"(?m)^script/run (compare .*) --out \S+$", text).group(1).split()
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run([PROGRAM, *arguments, "--out", "c", "--json"], cwd=folder, capture_output=True,
                                    text=True, timeout=TIMEOUT)
        for arm in json.loads(result.stdout)["arms"]:
            self.assertGreater(arm["end"]["mean"], 4.0 * arm["start"]["mean"], arm["arm"])

    def test_the_blocks_have_known_names(self):
        # A misspelt name would quietly take a block out of the test.
        known = {"sh", "sh notest", "cpp", "cpp notest", "toml", "cmake", "python", "text", "json", "bibtex", "csv",
                 "xml", "math", ""}
        for path in documents():
            for info, _, line in blocks(path):
                self.assertIn(info, known, f"{path.name}:{line}")

    def test_the_programs_compile_and_run(self):
        programs = [(path, text, line) for path in documents() for text, line in blocks_of(path, "cpp")
                    if re.search(r"\bint main\b", text)]
        self.assertTrue(any(path.name == "README.md" for path, _, _ in programs), "README.md shows no C++ program")
        examples = sorted((SOURCE / "examples" / "cpp").glob("*.cpp"))
        self.assertTrue(examples, "there is no example")
        programs += [(path, path.read_text(), 1) for path in examples]
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        for number, (path, text, line) in enumerate(programs):
            with self.subTest(document=path.name, line=line):
                source, program = folder / f"{number}.cpp", folder / f"program{number}"
                source.write_text(text)
                command = [os.environ.get("CXX", "g++"), "-std=c++20", "-O1", "-Wall", "-Werror",
                           "-I", str(SOURCE / "src"), str(source), str(BUILD / "libretropg.a"), *LIBRARIES,
                           "-o", str(program)]
                result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
                self.assertEqual(result.returncode, 0, f"{path.name}:{line}\n{result.stderr}")
                result = subprocess.run([str(program)], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT)
                self.assertEqual(result.returncode, 0, f"{path.name}:{line}\n{result.stdout}\n{result.stderr}")
                self.assertTrue(result.stdout, f"{path.name}:{line} prints nothing")

    def test_links_lead_somewhere(self):
        others = [path for path in [SOURCE / "CONTRIBUTING.md", SOURCE / "CHANGELOG.md"] if path.is_file()]
        wrong = []
        for path in documents() + others:
            prose = re.sub(r"(?ms)^\s*(`{3,}|~{3,}).*?^\s*\1\s*$", "", path.read_text())
            for target in re.findall(r"\]\(([^)\s]+)\)", prose):
                if not re.match(r"[a-z]+:|#", target) and not (path.parent / target.split("#")[0]).exists():
                    wrong.append(f"{path.name}: {target}")
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
