"""Records what the real Gymnasium does, for tests/environment/mujoco_*_test.cpp to compare with.

Run by hand, when the pinned MuJoCo changes or an environment is added, in an environment of its own:

    /usr/bin/python3 -m venv /tmp/recorder
    /tmp/recorder/bin/pip install 'gymnasium[mujoco]==1.4.0' mujoco==4.0.0
    /tmp/recorder/bin/python tests/record/record_gymnasium.py tests/golden/mujoco

For each environment two files are written. ID.txt holds whole episodes: the start state, then for each step action,
observation, reward and whether the episode terminated there. ID_model.txt holds every number of the compiled model,
a line a field. Numbers are shortest round-trip decimals: they read back to the same bits.
"""

import os
import pathlib
import sys
import tempfile

import gymnasium
import mujoco
import numpy

# Environment: (steps of an episode at most, scale of its actions in half widths of the actuators' range). Small actions
# let a balancing episode last; large ones go beyond the range.
ENVIRONMENTS = {
    "HalfCheetah-v4": [(100, 0.5), (100, 1.5)],
    "Swimmer-v4": [(150, 0.5), (150, 1.5)],
    "Hopper-v4": [(100, 0.3), (100, 1.5)] * 3,
    "Walker2d-v4": [(100, 0.3), (100, 1.5)] * 3,
    "InvertedPendulum-v4": [(100, 0.01), (100, 1.5)] * 4,
    "InvertedDoublePendulum-v4": [(100, 0.01), (100, 1.5)] * 4,
    "Reacher-v4": [(50, 0.5), (50, 1.5)] * 2,
    "Ant-v4": [(60, 0.5), (60, 1.5)],
}
LARGE = ("tex_data",)  # not worth its bytes


def text(numbers):
    return " ".join(repr(float(number)) for number in numpy.ravel(numbers))


def header(environment, what):
    return (f"# {what} of {environment}. Made by tests/record/record_gymnasium.py with\n"
            f"gymnasium {gymnasium.__version__} mujoco {mujoco.__version__} numpy {numpy.__version__}\n")


def record_episodes(name, plan):
    # Without the wrappers: a time limit belongs to the caller, and actions go in as they are, in double precision.
    environment = gymnasium.make(name).unwrapped
    random = numpy.random.default_rng(20260101)
    model, high = environment.model, environment.action_space.high.astype(float)
    lines = [f"observation_size {environment.observation_space.shape[0]} action_size {model.nu} qpos {model.nq} "
             f"qvel {model.nv}"]
    starts = []
    set_state = environment.set_state

    def seen_set_state(qpos, qvel):  # what reset asks for; the simulator may normalize it
        starts.append((qpos.copy(), qvel.copy()))
        set_state(qpos, qvel)

    environment.set_state = seen_set_state

    def record(observation, steps, scale):
        lines.append(f"start {text(starts[-1][0])} {text(starts[-1][1])} {text(observation)}")
        for _ in range(steps):
            # Few digits keep the file small; squares and sums of such numbers still round.
            action = numpy.round(scale * high * random.standard_normal(model.nu), 3)
            observation, reward, terminated, _, _ = environment.step(action)
            lines.append(f"step {text(action)} {text(observation)} {text(reward)} {int(terminated)}")
            if terminated:
                return

    for episode, (steps, scale) in enumerate(plan):
        record(environment.reset(seed=episode)[0], steps, scale)
    if name == "Ant-v4":  # an ant does not fall over; thrown up, it ends its episode
        qpos, qvel = environment.init_qpos.copy(), environment.init_qvel.copy()
        qvel[2] = 4.0
        mujoco.mj_resetData(model, environment.data)
        environment.set_state(qpos, qvel)
        record(environment._get_obs(), 60, 1.0)
    return "\n".join(lines) + "\n", model


def fields(struct, prefix=""):
    for name in sorted(dir(struct)):
        value = getattr(struct, name)
        if not name.startswith("_") and name not in LARGE and isinstance(value, (int, float, numpy.ndarray)):
            if numpy.asarray(value).dtype != object and numpy.size(value) > 0:
                yield f"{prefix}{name} {numpy.size(value)} {text(value)}"


def record_model(model):
    lines = [*fields(model), *fields(model.opt, "opt."), *fields(model.stat, "stat.")]
    return "\n".join(lines) + "\n"


def main(folder):
    for name, plan in ENVIRONMENTS.items():
        episodes, model = record_episodes(name, plan)
        (folder / f"{name}.txt").write_text(header(name, "Episodes") + episodes)
        (folder / f"{name}_model.txt").write_text(header(name, "The compiled model") + record_model(model))
        print(name, episodes.count("step "), "steps")


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:  # MuJoCo's Python package leaves its log file where it runs
        os.chdir(scratch)
        main(target)
