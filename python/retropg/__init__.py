"""Policy gradients that reuse past trajectories."""

from retropg._evaluation import Evaluation
from retropg._native import core
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

__all__ = [
    "Error",
    "Evaluation",
    "IterationRecord",
    "Policy",
    "Run",
    "RunError",
    "algorithms",
    "environments",
    "load",
    "policies",
    "resume",
    "train",
]
