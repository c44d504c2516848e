"""Installs the build into a temporary prefix and uses it as a stranger would.

RETROPG_BUILD_DIR is the build to install, RETROPG_SOURCE_DIR the source tree. Standard library only.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["RETROPG_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["RETROPG_BUILD_DIR"])
TIMEOUT = 600  # seconds


def sanitized():
    cache = (BUILD / "CMakeCache.txt").read_text()
    return re.search(r"^RETROPG_SANITIZE:[A-Z]+=.+$", cache, re.MULTILINE) is not None


def call(*command, **changes):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("RETROPG")}
    result = subprocess.run([str(word) for word in command], env={**environment, **changes}, timeout=TIMEOUT, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {result.returncode}\n{result.stdout}")
    return result.stdout


@unittest.skipIf(sanitized(), "a sanitized library is not installed; the release build is tested")
class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix"
        call("cmake", "--install", BUILD, "--prefix", cls.prefix)

    def headers(self):
        return sorted((self.prefix / "include").rglob("*.hpp"))

    def test_the_program_runs(self):
        program = self.prefix / "bin" / "retropg"
        version = re.search(r"project\(retropg VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual(call(program, "--version"), f"retropg {version}\n")
        self.assertIn("table2", call(program, "list"))

    def test_the_license_is_there_and_nothing_of_python(self):
        licenses = [path for path in self.prefix.rglob("LICENSE") if path.parent.name != "mujoco"]
        self.assertEqual([path.read_bytes() for path in licenses], [(SOURCE / "LICENSE").read_bytes()])
        self.assertEqual([path for path in self.prefix.rglob("*") if re.search(r"\.(pyi?|typed)$|_core", path.name)], [])

    def test_every_public_header_is_installed(self):
        sources = {str(path.relative_to(SOURCE / "src")) for path in (SOURCE / "src").rglob("*.hpp")
                   if not path.name.endswith("-inl.hpp")}
        installed = {str(path.relative_to(self.prefix / "include")) for path in self.headers()}
        self.assertEqual(installed, sources)
        self.assertGreater(len(installed), 40)

    def test_headers_include_only_the_standard_library_and_each_other(self):
        seen = 0
        for header in self.headers():
            for bracket, name in re.findall(r"(?m)^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"]+)", header.read_text()):
                seen += 1
                if bracket == "<":
                    self.assertRegex(name, r"^[a-z_]+$", f"{header.name}: not of the C++ standard library")
                else:
                    self.assertTrue((self.prefix / "include" / name).is_file(), f"{header.name}: {name}")
        self.assertGreater(seen, 200, "the includes are found at all")

    def test_nothing_installed_names_the_build(self):
        # Paths of this machine would make the package useless on another one.
        for path in self.prefix.rglob("*"):
            if path.suffix in (".cmake", ".hpp", ".pc"):
                text = path.read_text()
                self.assertNotIn(str(BUILD), text, path.name)
                self.assertNotIn(str(SOURCE), text, path.name)

    def test_every_header_stands_alone(self):
        # No include path but the installed one; each header is the first thing its file sees.
        compiler = os.environ.get("CXX", "g++")
        headers = self.headers()

        def compile_alone(header):
            name = header.relative_to(self.prefix / "include")
            file = self.folder / (str(name).replace("/", "_") + ".cpp")
            file.write_text(f'#include "{name}"\n#include "{name}"\n')
            result = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I",
                                     str(self.prefix / "include"), str(file)], capture_output=True, text=True,
                                    timeout=TIMEOUT)
            return None if result.returncode == 0 else f"{name}:\n{result.stderr[:2000]}"

        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            failures = [failure for failure in pool.map(compile_alone, headers) if failure]
        if failures:
            self.fail("\n".join(failures))

    def test_a_project_with_its_own_environment_and_estimator(self):
        includes = re.findall(r'#include "([^"]+)"', (SOURCE / "tests" / "consumer" / "main.cpp").read_text())
        self.assertTrue(includes)
        for include in includes:
            self.assertTrue(include.startswith("retropg/"), include)
        build = self.folder / "consumer"
        call("cmake", "-S", SOURCE / "tests" / "consumer", "-B", build, "-G", "Ninja",
             f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Release",
             "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
        cache = (build / "CMakeCache.txt").read_text()
        self.assertIn(f"retropg_DIR:PATH={self.prefix}", cache, "the installed package, not another one")
        call("cmake", "--build", build)
        output = call(build / "consumer")
        self.assertEqual(output.count("->"), 5, output)
        # The library obeys RETROPG_SIMD in a program of somebody else too. Without fused multiply-add the last digits
        # of a run are others, which shows that the kernels really changed.
        targets = re.search(r"this machine has (.*)$",
                            subprocess.run([self.prefix / "bin" / "retropg", "list"], text=True, capture_output=True,
                                           env={**os.environ, "RETROPG_SIMD": "nonsense"}).stderr.strip())
        if targets.group(1).startswith("sse, "):
            self.assertNotEqual(call(build / "consumer", RETROPG_SIMD="sse"), output)


if __name__ == "__main__":
    unittest.main(verbosity=1)
