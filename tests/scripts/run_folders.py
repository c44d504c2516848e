"""What the tests of killed, failing and resumed runs share: programs with faults, and whether a run folder is whole.

Standard library only.
"""

import concurrent.futures
import io
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import zipfile

from program import TIMEOUT, command, environment

SHIM = os.environ.get("RETROPG_FAULT_SHIM", "")
# What may differ from the run that was never stopped, besides times in monitor.csv and files for TensorBoard.
FREE = {"checkpoints", "status", "timing.jsonl", "provenance.json"}
EVENTS = "events.out.tfevents."


def memory_folder():
    """A temporary folder, in memory if possible: a killed program loses nothing there, and syncing costs nothing."""
    shared = "/dev/shm"
    return tempfile.TemporaryDirectory(dir=shared if os.access(shared, os.W_OK) else None)


def start(folder, *arguments, **changes):
    return subprocess.run(command(*arguments), cwd=folder, env=environment(**changes), timeout=TIMEOUT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def start_with_fault(folder, arguments, point, action):
    """`point`: name and number of a call that touches the folder; see tests/faults/shim.c for the actions."""
    return start(folder, *arguments, LD_PRELOAD=SHIM, FAULT_FOLDER=str(folder), FAULT_POINT=f"{point[0]} {point[1]}",
                 FAULT_ACTION=action)


def points_of(folder, arguments):
    """Every call of a program that ends well: (name, number)."""
    counts = pathlib.Path(f"{folder}.counts")
    result = start(folder, *arguments, LD_PRELOAD=SHIM, FAULT_FOLDER=str(folder), FAULT_COUNTS=str(counts))
    if result.returncode != 0:
        raise AssertionError(f"{arguments}: {result.stderr}")
    rows = [line.split() for line in counts.read_text().splitlines()]
    return [(name, number) for name, count in rows for number in range(1, int(count) + 1)]


def without_times(monitor):
    """Return and length of each trajectory in monitor.csv, as text; a line that is cut is left out."""
    whole = monitor[:monitor.rfind(b"\n") + 1]
    return b"".join(line.rpartition(b",")[0] + b"\n" for line in whole.splitlines()[2:])


def files_of(run, free=FREE):
    """Contents by name; what a run determines, unless told otherwise."""
    run = pathlib.Path(run)
    files = {str(path.relative_to(run)): path.read_bytes() for path in sorted(run.rglob("*"))
             if path.is_file() and path.relative_to(run).parts[0] not in free}
    if not free:
        return files
    if "monitor.csv" in files:
        files["monitor.csv"] = without_times(files["monitor.csv"])
    return {name: data for name, data in files.items() if not name.startswith(EVENTS)}


def messages(result):
    """Warnings and errors."""
    return [line for line in result.stderr.splitlines()
            if line.startswith("retropg: ") and ": going on after iteration" not in line]


def difference(run, expected):
    """Why a finished run is not the expected one; empty if it is."""
    found = files_of(run)
    if found == expected:
        return ""
    names = sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))
    return "differs in " + ", ".join(f"{name} ({len(found.get(name, b''))} bytes of {len(expected.get(name, b''))})"
                                     for name in names)


def safetensors_problem(data):
    if len(data) < 8 or len(data) < 8 + struct.unpack("<Q", data[:8])[0]:
        return "is cut"
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    end = max([entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"], default=0)
    return "" if len(data) == 8 + length + end else "is cut"


def half_written(run, expected):
    """A file that has its final name, but not its whole content; empty if there is none. Logs may end anywhere."""
    for name, data in files_of(run, free=set()).items():
        if name.endswith(".tmp") or name.startswith("checkpoints/window-"):
            continue
        if name in ("progress.csv", "metrics.jsonl", "evaluations.csv"):
            problem = "" if expected[name].startswith(data) else "has other lines"
        elif name in ("config.toml", "command.txt", "policy/final.safetensors", "result.json"):
            problem = "" if data == expected[name] else "has another content"
        elif name.endswith(".safetensors"):
            problem = safetensors_problem(data)
        elif name == "provenance.json":
            problem = "" if isinstance(json.loads(data), dict) else "is no object"
        elif name == "status":
            problem = "" if data.endswith(b"\n") and data.count(b"\n") == 1 else "is no line"
        elif name == "monitor.csv":
            problem = "" if expected[name].startswith(without_times(data)) else "has other lines"
        elif name == "evaluations.npz":
            problem = "" if zipfile.ZipFile(io.BytesIO(data)).testzip() is None else "is damaged"
        elif name == "timing.jsonl" or name.startswith(EVENTS):
            problem = ""
        else:
            problem = "is not a file of a run"
        if problem:
            return f"{name} {problem}"
    return ""


def can_go_on(run):
    """Whether a run got as far as its first checkpoint."""
    return (run / "config.toml").is_file() and any((run / "checkpoints").glob("*.safetensors"))


def for_each(work, items):
    """Results in order; two at a time, since most of the time is spent in other processes."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(work, items))
