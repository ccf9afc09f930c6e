"""What the documents tell people to run is there to be run."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
EXPLAINED = set(re.findall(r"^([a-z][a-z-]*):.* ## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
PARTS = {"lint-style", "lint-types", "lint-layers", "lint-house"}  # of `make lint`


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "docs/dependencies.md", "crds/README.md", "benchmarks/README.md"])
def test_every_make_target_that_a_document_names_exists(document: str) -> None:
    named = re.findall(r"(?:`|\$ )make ([a-z][a-z-]*)", (ROOT / document).read_text())
    assert set(named) <= TARGETS


def test_make_alone_explains_every_target() -> None:
    assert TARGETS - PARTS == EXPLAINED


def test_ci_runs_lint_and_test_and_nothing_that_the_readme_does_not_name() -> None:
    _, _, commands = (ROOT / ".ci" / "run").read_text().partition('cd "$(dirname "$0")/.."')
    assert commands.split("\n") == ["", "", "make lint", "make test", ""]
    readme = (ROOT / "README.md").read_text()
    assert all(f"$ {line}" in readme for line in commands.split("\n") if line)
