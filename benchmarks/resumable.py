"""Long measurements that can be stopped at any time: every run is one line of FOLDER/ROW.jsonl, and what is there is
not run again. Runs train in processes of their own, with the Python package in build/release/python or installed."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BLOCK = 25  # seeds of a row that are run together


def package():
    """The Python package."""
    built = str(ROOT / "build" / "release" / "python")
    if sys.path[0] != built:
        sys.path.insert(0, built)
    import retropg

    return retropg


def arguments(description, all_rows, first_seed, results):
    """Options of a measurement, with the chosen rows in place of their names."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", help="names or parts of names with commas between them (default: all)")
    parser.add_argument("--seeds", type=int, default=1000, help="number of seeds of each row (default 1000)")
    parser.add_argument("--first-seed", type=int, default=first_seed, help=f"default {first_seed}")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--results", type=pathlib.Path, default=results,
                        help=f"folder (default {results.relative_to(ROOT)})")
    parser.add_argument("--report", action="store_true", help="run nothing")
    chosen = parser.parse_args()
    parts = chosen.rows.split(",")
    chosen.rows = {name: row for name, row in all_rows.items() if any(part in name for part in parts)}
    if not chosen.rows:
        parser.error(f"no row has a name like {' or '.join(parts)}; the first is {next(iter(all_rows))}")
    return chosen


def stored(path):
    """The runs of a file. A line that a kill cut off is dropped."""
    if not path.exists():
        return []
    text = path.read_text()
    whole = text[:text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole)
    return [json.loads(line) for line in whole.splitlines()]


def block_of(measured, row, seeds):
    return [measured(row, seed) for seed in seeds]


def collect(options, measured):
    """measured(row, seed) gives a run as a dictionary with its seed. The first seeds of all rows come before the next
    ones of any, so that a table of few seeds is soon whole."""
    options.results.mkdir(parents=True, exist_ok=True)
    wanted = range(options.first_seed, options.first_seed + options.seeds)
    missing = {name: sorted(set(wanted) - {run["seed"] for run in stored(options.results / f"{name}.jsonl")})
               for name in options.rows}
    blocks = [(name, seeds[first:first + BLOCK]) for first in range(0, options.seeds, BLOCK)
              for name, seeds in missing.items() if seeds[first:first + BLOCK]]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        waiting = {pool.submit(block_of, measured, options.rows[name], seeds): name for name, seeds in blocks}
        for done, block in enumerate(concurrent.futures.as_completed(waiting), 1):
            lines = "".join(json.dumps(run) + "\n" for run in block.result())
            with (options.results / f"{waiting[block]}.jsonl").open("a") as stream:
                stream.write(lines)
            print(f"{done} of {len(blocks)} blocks", file=sys.stderr, flush=True)


def main(description, all_rows, first_seed, results, measured, report):
    options = arguments(description, all_rows, first_seed, results)
    if not options.report:
        collect(options, measured)
    report(options)
