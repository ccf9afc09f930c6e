"""The user's pages show what the command prints."""

import os
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.stage import ROOT, levee

DOCS = ROOT / "docs"
CONSOLE = re.compile(r"```console\n\$ levee (?P<command>[^\n]*)\n(?P<output>.*?)```", re.DOTALL)
FRONT = re.compile(r"\$ \.venv/bin/levee (?P<command>[^\n]*)\n(?P<output>(?!```).+?)```", re.DOTALL)  # those whose output is shown
EXAMPLE = re.compile(r"`levee (?P<command>[^`\n]*)`\n\n```yaml\n(?P<output>.*?)```", re.DOTALL)


@pytest.mark.parametrize(("page", "block"), [("../README.md", FRONT), ("planning.md", CONSOLE), ("plan-output.md", EXAMPLE)])
def test_the_page_shows_what_is_printed(
    page: str, block: re.Pattern[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To write the pages anew: LEVEE_WRITE_GOLDEN=1 pytest tests/cli, and read the difference."""
    monkeypatch.chdir(ROOT)

    def printed(found: re.Match[str]) -> str:
        output = levee(capsys, *shlex.split(found["command"])).out
        start, end = found.start("output") - found.start(), found.end("output") - found.start()
        return found[0][:start] + output + found[0][end:]

    path = Path(DOCS / page)
    shown = path.read_text()
    true, blocks = block.subn(printed, shown)
    assert blocks > 0
    if "LEVEE_WRITE_GOLDEN" in os.environ:
        path.write_text(true)
    assert true == path.read_text()
