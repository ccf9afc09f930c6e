"""Every test of the command line starts with the same reader: no terminal, and nothing said about its width.

Called by: pytest.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.served_cluster import Served, serving


@pytest.fixture(autouse=True)
def plain_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "LEVEE_DEBUG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A cluster, and the one that kubectl would ask."""
    with serving(Served(tmp_path)) as cluster:
        monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig))
        yield cluster
