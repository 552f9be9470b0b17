"""Installation of trainers: the command, and a check of the installed version."""

import warnings
from importlib.metadata import PackageNotFoundError, requires, version


def install_command(extras: str) -> str:
    """Returns the command that installs this package with extras, separated by commas. The package is not in a registry."""
    return f'pip install "./python[{extras}]" in a clone of Turnwise'


def check_version(trainer: str) -> None:
    """Warns if a trainer is installed in a version outside of the bounds of pyproject.toml."""
    try:
        installed, requirements = version(trainer), requires("turnwise-rl") or []
    except PackageNotFoundError:
        return
    from packaging.requirements import Requirement  # every trainer requires it

    for bounds in (item.specifier for item in map(Requirement, requirements) if item.name == trainer):
        if bounds.contains(installed, prereleases=True):
            continue
        hint = f"`python -m turnwise_rl conformance --trainer {trainer}` compares its numbers"
        warnings.warn(f"turnwise is tested with {trainer}{bounds}, and {trainer} {installed} is installed: {hint}", stacklevel=3)
