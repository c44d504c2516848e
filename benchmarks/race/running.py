"""Starts the runs that are not finished yet, each in a process of its own."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

import result_files

FOLDER = pathlib.Path(__file__).resolve().parent
PEERS_PYTHON = FOLDER / ".venv" / "bin" / "python"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu",
              "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"}


def unfinished(results, tasks, methods, seed_count=None):
    """(task, method, seed) of every run without a result, method by method."""
    runs = []
    for method in methods:
        for task in tasks:
            runs += [(task, method, seed) for seed in method.seeds(task, seed_count)
                     if not result_files.path(results, task, method, seed).exists()]
    return runs


def run_one(results, task, method, seed):
    """Whether it worked; if not, what it said is in a .log next to where the result would be."""
    file = result_files.path(results, task, method, seed)
    file.parent.mkdir(parents=True, exist_ok=True)
    log = file.with_suffix(".log")
    python = sys.executable if method.name == "retropg" else str(PEERS_PYTHON)
    with log.open("w") as stream, tempfile.TemporaryDirectory() as scratch:  # MuJoCo leaves its log where it runs
        code = subprocess.run([python, str(FOLDER / "run_one.py"), task.name, method.name, str(seed), str(file)],
                              stdout=stream, stderr=stream, stdin=subprocess.DEVNULL, cwd=scratch,
                              env=os.environ | ONE_THREAD).returncode
    if code == 0:
        log.unlink()
    return code == 0


def run_all(results, tasks, methods, seed_count, jobs):
    if any(method.name != "retropg" for method in methods) and not PEERS_PYTHON.exists():
        print(f"race: the peers are not installed; run {FOLDER / 'bootstrap'}", file=sys.stderr)
        return 1
    runs = unfinished(results, tasks, methods, seed_count)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        started = {pool.submit(run_one, results, *run): run for run in runs}
        for done, future in enumerate(concurrent.futures.as_completed(started), start=1):
            task, method, seed = started[future]
            failed += not future.result()
            print(f"{done} of {len(runs)}: {task.name} {method.name} {seed}{'' if future.result() else ' failed'}",
                  flush=True)
    return 1 if failed else 0
