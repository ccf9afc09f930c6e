"""A sample of the crash points of a whole life, on an API server of its own: whoever writes is killed there, and nothing comes of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from images.contents import ROOT

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.own_cluster(because="its API server is the program that the test cluster is made of"),
    pytest.mark.off_cluster(because="it has an API server of its own"),
]

LIVES, SEED = 4, 1


def test_whoever_is_killed_at_a_write_leaves_what_the_next_one_puts_right(tmp_path: Path) -> None:
    page = tmp_path / "sweep.md"
    told = ("--sample", str(LIVES), "--jobs", str(LIVES), "--seed", str(SEED), "--data", str(tmp_path), "--page", str(page))
    done = subprocess.run([sys.executable, "-m", "benchmarks.sweep", *told], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stderr.count(" passed (") > LIVES / 2, done.stderr[-4000:]  # not all of them may have been reached
    assert "## What failed" not in page.read_text(encoding="utf-8")
