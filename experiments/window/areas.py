"""Areas under the learning curve of RPG, MIW-PG, BH-PG and RPG-theory over windows 1 to 128.

Cart Pole, N = 5, 1000 iterations, Adam 0.01: mean return over the 5000 trajectories of a run, averaged over runs.
Usage: areas.py PROGRAM [RUNS [OUTPUT.csv]]
"""

import concurrent.futures
import csv
import math
import os
import statistics
import subprocess
import sys
import tempfile

WINDOWS = (1, 2, 4, 8, 16, 32, 64, 128)
METHODS = {
    "rpg": [],
    "miw-pg": [],
    "bh-pg": [],
    **{f"rpg-theory D={bound}": [f"algo.divergence_bound={bound}"] for bound in (0.5, 1, 2, 4, 8)},
}
# Areas from an independent implementation (200 runs), rounded; the last row is the range over D = 0.5 to 8.
EXPECTED = {
    "rpg": (94, 117, 132, 140, 143, 142, 138, 135),
    "miw-pg": (94, 116, 127, 134, 135, 127, 106, 73),
    "bh-pg": (94, 118, 131, 141, 146, 147, 147, 147),
    "rpg-theory": ((94, 94), (116, 118), (131, 132), (140, 142), (142, 144), (133, 138), (105, 114), (75, 83)),
}


def area(program, method, window, seed, folder):
    out = os.path.join(folder, f"{method}_{window}_{seed}".replace(" ", "_"))
    command = [program, "train", "--env", "CartPole", "--algo", method.split()[0], "--batch", "5", "--window", str(window),
               "--iterations", "1000", "--seed", str(seed), "--threads", "1", "--out", out, "--json"]
    for setting in METHODS[method]:
        command += ["--set", setting]
    subprocess.run(command, check=True, capture_output=True)
    with open(os.path.join(out, "progress.csv")) as file:
        returns = [float(row["return_mean"]) for row in csv.DictReader(file)]
    subprocess.run(["rm", "-r", out], check=True)
    return statistics.fmean(returns)


def expected_range(method, column):
    low, high = (EXPECTED["rpg-theory"][column] if method.startswith("rpg-theory") else (EXPECTED[method][column],) * 2)
    return low, high


def main():
    program = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    output = sys.argv[3] if len(sys.argv) > 3 else None
    rows, worst = [], 0.0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for method in METHODS:
            for column, window in enumerate(WINDOWS):
                areas = list(pool.map(lambda seed: area(program, method, window, seed, folder), range(1, runs + 1)))
                mean, error = statistics.fmean(areas), statistics.stdev(areas) / math.sqrt(runs)
                low, high = expected_range(method, column)
                # The expected areas have about the same standard error (200 runs) and are rounded to whole numbers.
                outside = max(low - 0.5 - mean, mean - high - 0.5, 0.0) / (math.sqrt(2.0) * error)
                worst = max(worst, outside)
                rows.append((method, window, round(mean, 2), round(error, 2), low, high, round(outside, 2)))
                print(f"{method:18} window {window:3}: {mean:6.1f} +- {error:.1f}   expected {low}"
                      + (f"-{high}" if high != low else "") + f"   {outside:.1f} standard errors outside", flush=True)
    if output:
        with open(output, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("method", "window", "area", "standard_error", "expected_low", "expected_high", "outside"))
            writer.writerows(rows)
    # With 64 cells, a correct program exceeds 4 standard errors once in 250 experiments.
    print(f"worst: {worst:.1f} standard errors outside")
    sys.exit(worst > 4.0)


main()
