"""Reads a run folder with the packages of others, and prints what they see as one JSON object.

Runs in an environment with TensorBoard and NumPy; with Stable-Baselines3 and pandas, also reads monitor.csv with those.
"""

import json
import pathlib
import sys

import numpy
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader


def events_of(run):
    """What each event file holds by itself: its first events by name, and how many there are."""
    files = []
    for path in sorted(run.glob("events.out.tfevents.*")):
        events = list(EventFileLoader(str(path)).Load())
        files.append({"count": len(events), "kinds": [event.WhichOneof("what") for event in events],
                      "steps": [event.step for event in events]})
    return files


def scalars_of(run):
    """Step, wall time and value of each point by tag, as TensorBoard shows them."""
    accumulator = EventAccumulator(str(run), size_guidance={"scalars": 0})
    accumulator.Reload()
    return {tag: [[point.step, point.wall_time, point.value] for point in accumulator.Scalars(tag)]
            for tag in accumulator.Tags()["scalars"]}


def evaluations_of(run):
    with numpy.load(run / "evaluations.npz") as arrays:
        return {name: {"type": str(arrays[name].dtype), "values": arrays[name].tolist()} for name in arrays.files}


def monitor_of(run):
    """Returns, lengths and times by Stable-Baselines3; nothing if it is not installed."""
    try:
        from stable_baselines3.common.results_plotter import load_results, ts2xy
    except ImportError:
        return None
    table = load_results(str(run))
    steps, returns = ts2xy(table, "timesteps")
    return {"r": returns.tolist(), "l": table["l"].tolist(), "t": table["t"].tolist(), "steps": steps.tolist()}


def main():
    run = pathlib.Path(sys.argv[1])
    print(json.dumps({"events": events_of(run), "scalars": scalars_of(run), "evaluations": evaluations_of(run),
                      "monitor": monitor_of(run)}))


if __name__ == "__main__":
    main()
