"""`levee demo`, as `make demo` runs it, only shorter: a worker and then a node are killed, and it finds that nothing was lost."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from levee.cli.demo.plan import EPOCHS_LEAST

pytestmark = pytest.mark.e2e


def test_the_demo_survives_what_it_does_to_itself_and_shows_it(tmp_path: Path) -> None:
    words = [sys.executable, "-c", "from levee.cli.main import main; main()", "demo", "--directory", str(tmp_path / "demo")]
    done = subprocess.run([*words, "--epochs", str(EPOCHS_LEAST)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"lost +0\b", done.stdout), done.stdout
    assert re.search(r"duplicates +0\b", done.stdout), done.stdout
    [page] = (tmp_path / "demo").glob("*.html")
    text = page.read_text(encoding="utf-8")
    assert "<svg" in text
    assert not re.search(r"""(src|href)=["']https?:|url\(https?:""", text)  # it can be read without a network
