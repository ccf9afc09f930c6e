"""`levee demo`, as `make demo` runs it, only shorter: a worker and then a node are killed, and it finds that nothing was lost."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml

from levee.cli.demo.findings import Rows, delivered
from levee.cli.demo.plan import EPOCHS_LEAST, Place
from levee_spark.examples import market
from tests.examples.by_hand import BARGAINS, bargains_by_hand

pytestmark = pytest.mark.e2e


def test_the_demo_survives_what_it_does_to_itself_and_shows_it(tmp_path: Path) -> None:
    words = [sys.executable, "-c", "from levee.cli.main import main; main()", "demo", "--directory", str(tmp_path / "demo")]
    done = subprocess.run([*words, "--epochs", str(EPOCHS_LEAST)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"lost +0\b", done.stdout), done.stdout
    assert re.search(r"duplicates +0\b", done.stdout), done.stdout
    place = Place(tmp_path / "demo")
    golden = delivered(place.rows("undisturbed"))
    assert golden == by_hand(place, max(golden)), "what it compares with is right"
    [page] = (tmp_path / "demo").glob("*.html")
    text = page.read_text(encoding="utf-8")
    assert "<svg" in text
    assert not re.search(r"""(src|href)=["']https?:|url\(https?:""", text)  # it can be read without a network


def by_hand(place: Place, epochs: int) -> Rows:
    """Of the events that the undisturbed run reads."""
    [source] = yaml.safe_load(place.topology("undisturbed").read_text(encoding="utf-8"))["spec"]["sources"]
    found = bargains_by_hand([market.rows(epoch, source["spark"]["options"], 0, 1) for epoch in range(1, epochs + 1)])
    return {epoch: Counter(repr(dict(zip(BARGAINS, row, strict=True))) for row in rows) for epoch, rows in enumerate(found, 1) if rows}
