"""A comparison has the numbers of the program's."""

import json

import numpy as np
import pytest

import retropg


@pytest.fixture(scope="module")
def comparison():
    return retropg.compare("CartPole", ["rpg", "gpomdp"], budget=60, seeds=3, batch=5, threads=2)


def test_the_numbers_are_the_programs(comparison, program, tmp_path):
    printed = json.loads(
        program(
            "compare", "--env", "CartPole", "--algos", "rpg,gpomdp", "--budget", 60, "--seeds", 3, "--batch", 5,
            "--out", tmp_path / "out", "--json",
        )
    )  # fmt: skip
    made = comparison.to_dict()
    for arm in printed["arms"] + made["arms"]:
        arm.pop("seconds")
    assert made["arms"] == printed["arms"]
    assert made["pairs"] == printed["pairs"]


def test_arms_have_curves_areas_and_intervals(comparison):
    arm = comparison["rpg"]
    assert arm.areas.shape == (3,)
    assert arm.area == pytest.approx(arm.areas.mean())
    assert arm.interval[0] < arm.area < arm.interval[1]
    x, mean, error = arm.curve
    assert x[-1] == 60 and x.shape == mean.shape == error.shape
    assert len(arm.runs) == 3
    run = retropg.train("CartPole", "rpg", budget=60, batch=5, settings={"train.confirm": 0})
    np.testing.assert_array_equal(arm.runs[0][1], run.returns)
    assert arm.config["algo.name"] == "rpg"
    lines = comparison.table().splitlines()
    assert {line.split()[0] for line in lines[3:]} == {"rpg", "gpomdp"}


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"algos": ["rpg", "gpomd"]}, "did you mean 'gpomdp'"),
        ({"seeds": 1}, "seeds must be a whole number from 2"),
        ({"budget": 0}, "budget must be a whole number of at least 1"),
        ({"settings": {"train.seed": 3}}, "use seed instead"),
        ({"algos": ["gpomdp", "reinforce"], "window": 3}, "window = 3: no algorithm of this comparison reads algo.window"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(retropg.Error, match=message):
        retropg.compare(**{"env": "CartPole", "algos": ["rpg", "gpomdp"], "budget": 60, "seeds": 2, **arguments})


def test_comparisons_and_runs_are_plotted(comparison, run):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = retropg.plot(comparison)
    assert len(ax.lines) == 2 and len(ax.collections) == 2
    assert ax.get_xlabel() == "fresh trajectories collected"
    assert "3 seeds" in ax.get_legend().get_texts()[0].get_text()
    others = [retropg.train("CartPole", "rpg", batch=4, window=3, iterations=12, seed=seed) for seed in (3, 4)]
    ax = retropg.plot([run, *others], ax=matplotlib.figure.Figure().subplots())
    assert len(ax.lines) == 1 and "3 seeds" in ax.get_legend().get_texts()[0].get_text()
    np.testing.assert_allclose(ax.lines[0].get_ydata(), np.mean([r.returns for r in (run, *others)], axis=0))


def test_settings_of_an_arm_are_those_of_the_program():
    arguments = {"budget": 60, "seeds": 2, "batch": 10, "threads": 1}
    as_dict = retropg.compare("CartPole", {"rpg": {"algo.batch": 20, "algo.window": 2}, "gpomdp": {}}, **arguments)
    as_text = retropg.compare("CartPole", ["rpg:algo.batch=20:algo.window=2", "gpomdp"], **arguments)
    assert [arm.config["algo.batch"] for arm in as_dict.arms] == [20, 10]
    assert [arm.areas.tolist() for arm in as_dict.arms] == [arm.areas.tolist() for arm in as_text.arms]
    with pytest.raises(retropg.Error, match="no arm is called rpgg; there are rpg"):
        as_dict["rpgg"]
    with pytest.raises(retropg.Error, match="gpomdp does not read algo.window"):
        retropg.compare("CartPole", {"gpomdp": {"algo.window": 2}}, **arguments)
