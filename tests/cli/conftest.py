"""Every test of the command line starts with the same reader: no terminal, and nothing said about its width."""

import pytest


@pytest.fixture(autouse=True)
def plain_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "LEVEE_DEBUG"):
        monkeypatch.delenv(name, raising=False)
