"""Policy gradients that reuse past trajectories."""

from retropg._native import core

Error = core.Error
RunError = core.RunError
algorithms = core.algorithms
environments = core.environments
policies = core.policies
__version__ = core.version()

__all__ = ["Error", "RunError", "algorithms", "environments", "policies"]
