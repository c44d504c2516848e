"""The C++ engine: with MuJoCo's environments if MuJoCo is installed (pip install "retropg[mujoco]"), else without."""

import atexit
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retropg import _core as core
else:
    try:
        from retropg import _core_mujoco as core
    except ImportError:  # no libmujoco of the version that this package was built with
        from retropg import _core as core
    else:
        sys.modules["retropg._core"] = core  # for whoever imports it by the name of its stub

atexit.register(core.end_work)  # what daemon threads do; Python itself has waited for the others

__all__ = ["core"]
