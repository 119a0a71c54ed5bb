"""Programs that are installed, or that `scripts/bootstrap` has unpacked."""

import shutil

import pytest

from service import ROOT


def program(name: str, package: str, folder: str = "usr/bin") -> str | None:
    """Returns the path of a program of a Debian package."""
    return shutil.which(name) or shutil.which(ROOT / ".build" / package / folder / name)


def of_prometheus(name: str) -> str:
    """Returns the path of a program of Prometheus, or skips the test."""
    found = program(name, "prometheus")
    if not found:
        pytest.skip(f"{name} of the Debian package prometheus is neither installed nor in .build/prometheus")
    return found
