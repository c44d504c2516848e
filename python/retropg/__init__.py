"""Policy gradients that reuse past trajectories."""

from retropg._compare import Comparison, compare
from retropg._evaluation import Evaluation, evaluate
from retropg._explain import explain
from retropg._native import core
from retropg._plot import plot
from retropg._policy import Policy
from retropg._run import Run
from retropg._train import load, resume, train

Error = core.Error
RunError = core.RunError
IterationRecord = core.IterationRecord
algorithms = core.algorithms
environments = core.environments
policies = core.policies
__version__ = core.version()

for _name in (Error, RunError):
    _name.__module__ = "retropg"
del _name



def has_mujoco() -> bool:
    """Whether the environments of MuJoCo can be used."""
    return core.mujoco_version() != ""


__all__ = [
    "Comparison",
    "Error",
    "Evaluation",
    "IterationRecord",
    "Policy",
    "Run",
    "RunError",
    "algorithms",
    "compare",
    "environments",
    "evaluate",
    "explain",
    "has_mujoco",
    "load",
    "plot",
    "policies",
    "resume",
    "train",
]
