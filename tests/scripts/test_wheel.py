"""Builds the wheel of the Python package as pip does, installs it into a temporary folder, and trains with it.

RETROPG_BUILD_DIR is the build that is tested, RETROPG_SOURCE_DIR the source tree. Needs no network: the build tools are
those of .venv. The wheel's own build is in build/wheel, and takes from ccache what the release build compiled.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(os.environ["RETROPG_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["RETROPG_BUILD_DIR"])
PYTHON = SOURCE / ".venv" / "bin" / "python"
TIMEOUT = 800  # seconds
TRAIN = """
import pathlib, sys, retropg
assert pathlib.Path(retropg.__file__).parents[1] == pathlib.Path(sys.argv[1]), retropg.__file__
print(retropg.__version__, len(retropg.train("CartPole", "rpg", iterations=3, threads=1).returns), retropg.has_mujoco())
"""


def cached(name):
    found = re.search(rf"^{name}:[A-Z]+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found.group(1) if found else ""


def call(*command, **changes):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("RETROPG", "PYTHON"))}
    result = subprocess.run([str(word) for word in command], env={**environment, **changes}, timeout=TIMEOUT, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {result.returncode}\n{result.stdout}")
    return result.stdout


def have_tools():
    if not PYTHON.exists():
        return False
    tools = [PYTHON, "-c", "import nanobind, scikit_build_core, numpy"]
    return subprocess.run(tools, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TIMEOUT).returncode == 0


@unittest.skipIf(cached("RETROPG_BUILD_PYTHON") != "ON", "this build has no Python package")
@unittest.skipUnless(have_tools(), ".venv has no nanobind, scikit-build-core or NumPy")
class Wheel(unittest.TestCase):
    def test_a_wheel_is_built_installed_and_trains(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name).resolve()
            pip = [PYTHON, "-m", "pip", "--disable-pip-version-check", "--no-cache-dir"]
            call(*pip, "wheel", SOURCE, "--no-build-isolation", "--no-deps", "--no-index", "-w", folder,
                 CXX=cached("CMAKE_CXX_COMPILER"))  # the name that ccache knows
            (wheel,) = folder.glob("retropg-*.whl")
            files = set(zipfile.ZipFile(wheel).namelist())
            sources = {f"retropg/{path.name}" for path in (SOURCE / "python" / "retropg").glob("*.py")}
            self.assertLessEqual(sources | {"retropg/_core.pyi", "retropg/py.typed"}, files)
            self.assertFalse([file for file in files if not file.startswith("retropg")])
            call(*pip, "install", "--no-deps", "--no-index", "--target", folder / "site", wheel)
            version = re.search(r"project\(retropg VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
            done = call(PYTHON, "-c", TRAIN, folder / "site", PYTHONPATH=str(folder / "site"))
            self.assertEqual(done, f"{version} 3 False\n")  # the libmujoco of .venv is not next to it


if __name__ == "__main__":
    unittest.main()
