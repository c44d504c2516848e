"""Policy gradients that reuse past trajectories."""

from retropg._agent import Agent, Draw, Sampler
from retropg._collect import collect
from retropg._estimate import Estimate, estimate
from retropg._evaluation import Evaluation
from retropg._native import core
from retropg._policy import Policy
from retropg._run import Run
from retropg._train import load, resume, train
from retropg._trajectories import Batch, Trajectory

Error = core.Error
RunError = core.RunError
IterationRecord = core.IterationRecord
algorithms = core.algorithms
environments = core.environments
policies = core.policies
__version__ = core.version()

__all__ = [
    "Agent",
    "Batch",
    "Draw",
    "Error",
    "Estimate",
    "Evaluation",
    "IterationRecord",
    "Policy",
    "Run",
    "RunError",
    "Sampler",
    "Trajectory",
    "algorithms",
    "collect",
    "environments",
    "estimate",
    "load",
    "policies",
    "resume",
    "train",
]
