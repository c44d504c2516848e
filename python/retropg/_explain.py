"""The keys of the configuration, explained."""

from __future__ import annotations

from retropg._checks import text
from retropg._native import core


def explain(name: str) -> str:
    """Explains a key of the configuration, such as "algo.window", or all keys of a section, as `retropg list` does."""
    return "\n\n".join(
        "\n".join(
            [
                key["key"],
                f"  meaning  {key['meaning']}",
                f"  value    {key['value']}",
                f"  default  {key['default']}",
                *(f"  read by  {reader}" for reader in key["read_by"]),
            ]
        )
        for key in core.explain(text(name, "name"))
    )
