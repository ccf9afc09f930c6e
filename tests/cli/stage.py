"""What the tests of the command line share: a run inside this process with a standing clock, and one as a process of its own."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from levee.cli.main import run
from levee.cli.plan_run import Tools

ROOT = Path(__file__).parents[2]
PIPELINE = str(ROOT / "examples" / "pipeline.yaml")
BARGAINS = str(ROOT / "examples" / "bargain-discovery.yaml")
TRAFFIC = str(ROOT / "examples" / "traffic-incidents.yaml")

STANDING = Tools(now=lambda: 0.0)  # All searches take 0.00 s, so that the output is the same every time.


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


def levee(capsys: pytest.CaptureFixture[str], *args: str, tools: Tools = STANDING) -> Ended:
    code = run(args, obj=tools)
    captured = capsys.readouterr()
    return Ended(int(code), captured.out, captured.err)


def process(*args: str, given: bytes | None = None, cwd: Path = ROOT) -> Ended:
    """As a user runs it."""
    command = [sys.executable, "-c", "from levee.cli.main import main; main()", *args]
    ended = subprocess.run(command, input=given, capture_output=True, cwd=cwd, check=False, timeout=120)
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())
