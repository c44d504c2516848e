"""Writes docs/results.md and its figures from results folders.

Usage: results_page.py FOLDER, where FOLDER/NAME is the results folder of the experiment NAME. What experiments/NAME/README.md
says about an experiment becomes part of the page.
"""

import csv
import json
import pathlib
import re
import shutil
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
ORDER = ("table2", "window", "batch", "cartpole", "ablation-budget", "ablation-window", "swimmer", "halfcheetah", "tuned",
         "tuned-swimmer", "baseline", "baseline-single")
HEAD = """# Results

Every experiment of the paper, and our own, as this program runs them: what the paper claims, whether it holds, and the
numbers. [experiments.md](experiments.md) says how a claim is decided; [compare.md](compare.md) defines the numbers.
Except for times, all of them depend only on the seed. This page is made by `script/results` from results folders:

    script/run reproduce table2 window batch cartpole ablation-budget ablation-window tuned baseline baseline-single \\
        --runs 200 --keep curves --out results/full
    script/run reproduce swimmer halfcheetah tuned-swimmer --keep curves --out results/full
    script/results results/full

The runs on Swimmer and Half Cheetah took hours; their learning curves are in [results/](results/), one small CSV file
per run. To add runs to them, copy a folder from there to `results/full` and give a larger `--runs`.

"""


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def table(head, lines):
    text = "| " + " | ".join(head) + " |\n|" + "---|" * len(head) + "\n"
    return text + "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines) + "\n"


def claims(folder):
    if not (folder / "claims.csv").is_file():
        return ""
    found = rows(folder / "claims.csv")
    runs, paper = found[0]["runs"], found[0]["paper_runs"]
    head = ["claim", f"verdict with {runs} runs", f"with the planned {paper}", "statistic"]
    lines = [[row["claim"], row["verdict"], row["verdict_at_paper_runs"], row["statistic"]] for row in found]
    if runs == paper:
        head.pop(2)
        for line in lines:
            line.pop(2)
    counts = [f"{word}: {sum(row['verdict'] == word for row in found)}"
              for word in ("holds", "does not hold", "not decided at this scale")]
    return "Claims by verdict: " + ", ".join(counts) + ".\n\n" + table(head, lines)


def arms(summary):
    expected = any("expected_area" in arm for arm in summary["arms"])
    pairs = {(pair["candidate"], pair["reference"]): pair for pair in summary["pairs"]}
    head = ["arm", "area", "end", "ahead of", "by", "speed-up", "fall"]
    if expected:
        head.insert(2, "expected")
    lines = []
    for arm in summary["arms"]:
        pair = pairs.get((arm["arm"], arm["reference"]))
        line = [arm["arm"], f"{arm['area']['mean']:.1f} ± {arm['area']['t_half']:.1f}", f"{arm['end']['mean']:.1f}",
                arm["reference"] if pair else "", "", "", f"{arm['fall']['mean']:.0f}"]
        if pair:
            low, high = pair["welch_interval"]
            line[4] = f"{pair['difference']:+.1f} ({low:.1f} to {high:.1f})"
            low, high = pair["speedup_bootstrap"]
            line[5] = f"{pair['speedup']:.2f} ({low:.2f}-{high:.2f})" if low is not None else f"{pair['speedup']:.2f}"
        if expected:
            line.insert(2, f"{arm['expected_area']:.1f}, {'agrees' if arm['agrees'] else 'differs'}"
                        if "expected_area" in arm else "")
        lines.append(line)
    return table(head, lines)


def seconds(folder):
    if not (folder / "seconds.csv").is_file():
        return ""
    lines = [[row["arm"], f"{float(row['seconds']):.3f}", row["paper_seconds"]] for row in rows(folder / "seconds.csv")]
    return "Seconds per run:\n\n" + table(["arm", "ours", "the paper's"], lines)


def picked(folder):
    """What a sweep picked: the best of all settings, and whether it is at an end of the values tried."""
    if not (folder / "sweep.csv").is_file():
        return ""
    found = rows(folder / "sweep.csv")
    tried = {}
    for row in found:
        for setting in row["setting"].split(":"):
            key, value = setting.split("=")
            tried.setdefault(key, []).append(float(value))
    lines = []
    for row in found:
        if row["picked"] != "true":
            continue
        at_end = [setting for setting in row["setting"].split(":")
                  if float(setting.split("=")[1]) in (min(tried[setting.split("=")[0]]), max(tried[setting.split("=")[0]]))]
        lines.append([row["arm"], row["setting"].replace(":", ", "), ", ".join(at_end),
                      f"{float(row['area']):.1f} ± {float(row['standard_error']):.1f}"])
    count = len(found) // len(lines)
    return (f"Of {count} settings per arm, these had the highest mean area on the seeds for picking (with its standard "
            "error; the best of many is too high on average):\n\n"
            + table(["arm", "picked", "at an end of the values tried", "area when picked"], lines))


def figures(folder, name):
    target = SOURCE / "docs" / "results"
    target.mkdir(exist_ok=True)
    text = ""
    for figure in sorted(folder.glob("figure*.png")):
        copy = target / f"{name}{figure.stem.removeprefix('figure')}.png"
        shutil.copyfile(figure, copy)
        text += f"![{name}](results/{copy.name})\n\n"
    return text


def section(folder, name):
    summary = json.loads((folder / "summary.json").read_text())
    readme = (SOURCE / "experiments" / name / "README.md").read_text()
    title, body = re.fullmatch(r"# ([^\n]+)\n\n    [^\n]+\n\n(.*)", readme, re.DOTALL).groups()
    body = re.sub(r"\(\.\./\.\./docs/", "(", body).replace("## Findings", "### Findings")
    body = re.sub(r"\(\.\./([a-z0-9-]+)/README\.md\)", r"(../experiments/\1/README.md)", body)
    made = json.loads((folder / "provenance.json").read_text())
    if not made.get("commit") or made["commit"].endswith("-dirty"):
        sys.exit(f"{folder}: was made by a program of no commit; build one without changes and run it again")
    budget = f", {summary['budget']} trajectories each" if summary["budget"] else ""
    return (f"## {name}: {title[0].lower() + title[1:]}\n\n{body}\n"
            f"Shown here: seeds {summary['first_seed']} to {summary['first_seed'] + summary['seeds'] - 1}{budget}; commit "
            f"{made['commit']}, {made['simd']}, {made['compiler']}"
            + (f", MuJoCo {made['mujoco']}" if "-v4" in summary["environment"] else "") + ".\n\n"
            + figures(folder, name) + claims(folder) + arms(summary) + picked(folder) + seconds(folder))


def main():
    results = pathlib.Path(sys.argv[1])
    names = [name for name in ORDER if (results / name / "summary.json").is_file()]
    text = HEAD + "".join(section(results / name, name) for name in names)
    (SOURCE / "docs" / "results.md").write_text(text.rstrip() + "\n")


if __name__ == "__main__":
    main()
