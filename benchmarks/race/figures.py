"""Curves with intervals, drawn by gnuplot."""

import subprocess

import summary

# Colors of Okabe and Ito (2008), which color-blind readers can tell apart.
LOOKS = {"retropg": "linecolor '#0072B2' linewidth 3", "cma-es-diagonal": "linecolor '#E69F00' linewidth 2",
         "cma-es-full": "linecolor '#D55E00' linewidth 2", "ars": "linecolor '#222222' linewidth 2",
         "sac": "linecolor '#009E73' linewidth 2", "ppo": "linecolor '#CC79A7' linewidth 2"}


def reached_curve(task, runs):
    """(trajectories, share of the runs that reached the goal by then, its interval)."""
    needed = [summary.needed(run, task.goal)[0] for run in runs]
    for trajectories in range(task.budget + 1):
        hits = sum(value <= trajectories for value in needed)
        yield trajectories, hits / len(runs), *summary.share_interval(hits, len(runs))


def return_curve(task, runs):
    """(trajectories, median return by then, its interval), from where every run has been evaluated."""
    for trajectories in range(max(run[0].trajectories for run in runs), task.budget + 1):
        values = [summary.last_until(run, trajectories).mean_return for run in runs]
        yield trajectories, summary.quantile(values, 0.5), *summary.median_interval(values)


def script(task, runs, file):
    curve = return_curve if task.goal is None else reached_curve
    what = "median return" if task.goal is None else f"share of the seeds that reached {task.goal:g}"
    lines = ["set terminal pngcairo size 900,560 noenhanced rounded font 'sans-serif,12' background '#FFFFFF'",
             f"set output '{file}'", f"set title '{task.title}'", "set border 3 linecolor '#444444'",
             "set tics nomirror", "set grid linecolor '#E4E4E4' linewidth 1 linetype 1",
             "set style fill transparent solid 0.15 noborder", "set key outside right top Left reverse",
             f"set xrange [0:{task.budget}]", "set xlabel 'trajectories'", f"set ylabel '{what}, 95 % interval'"]
    bands, medians = [], []
    for index, (method, finished) in enumerate(runs.items()):
        look = LOOKS[method.name]
        rows = "\n".join(" ".join(f"{value:.6g}" for value in row) for row in curve(task, finished))
        lines.append(f"$data{index} << END\n{rows}\nEND")
        color = look.split(" linewidth")[0].replace("linecolor", "fillcolor")
        bands.append(f"$data{index} using 1:3:4 with filledcurves {color} notitle")
        medians.append(f"$data{index} using 1:2 with lines {look} title '{method.title} ({len(finished)})'")
    return "\n".join([*lines, "plot " + ", ".join(bands + medians)]) + "\n"


def draw(task, runs, file):
    subprocess.run(["gnuplot"], input=script(task, runs, file), text=True, check=True)
