"""Whether RPG and GPOMDP learn with the paper's settings, from run folders named NAME_ALGO_SEED.

For each NAME and ALGO: mean return of the first and of the last 10 % of the iterations, and the improvement with its 95 %
Student t interval over seeds; for each NAME the area of RPG minus that of GPOMDP at equal collected trajectories, seed by seed.
Usage: learning.py FOLDER
"""

import csv
import math
import pathlib
import statistics
import sys

STUDENT_T = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}  # 97.5 %


def interval(values):
    half = STUDENT_T[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))
    mean = statistics.fmean(values)
    return f"{mean:.2f} ({mean - half:.2f} to {mean + half:.2f})"


def returns(folder):
    with open(folder / "progress.csv") as file:
        return [float(row["return_mean"]) for row in csv.DictReader(file)]


def main(root):
    curves = {}
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        name, algo, seed = folder.name.rsplit("_", 2)
        curves.setdefault(name, {}).setdefault(algo, {})[seed] = returns(folder)
    for name, algos in curves.items():
        for algo, seeds in algos.items():
            tenth = [max(1, len(curve) // 10) for curve in seeds.values()]
            first = [statistics.fmean(c[:n]) for c, n in zip(seeds.values(), tenth)]
            last = [statistics.fmean(c[-n:]) for c, n in zip(seeds.values(), tenth)]
            gains = [b - a for a, b in zip(first, last)]
            print(f"{name} {algo}: first tenth {statistics.fmean(first):.2f}, last tenth {statistics.fmean(last):.2f}, "
                  f"improvement {interval(gains)}, {len(gains)} seeds")
        if {"rpg", "gpomdp"} <= algos.keys():
            areas = [statistics.fmean(algos["rpg"][s]) - statistics.fmean(algos["gpomdp"][s]) for s in algos["rpg"]]
            print(f"{name}: area of rpg minus area of gpomdp {interval(areas)}")


main(pathlib.Path(sys.argv[1]))
