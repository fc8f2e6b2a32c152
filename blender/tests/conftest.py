# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension as it was installed, and a Blender that ends well."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import bodies

bodies.start()


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    bodies.empty()
    yield


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """bpy as a module may crash as Python ends, after all is told."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(getattr(config, "_gambol_status", 0))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config._gambol_status = int(exitstatus)  # type: ignore[attr-defined]
