"""What the documents tell people to run is there to be run."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TARGETS = set(re.findall(r"^([a-z][a-z0-9-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
EXPLAINED = set(re.findall(r"^([a-z][a-z0-9-]*):.* ## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
FOLDERS = ("benchmarks", "crds", "hack", "tests")
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "docs/dependencies.md", *(f"{folder}/README.md" for folder in FOLDERS)]
PARTS = {"lint-style", "lint-types", "lint-layers", "lint-house"}  # of `make lint`


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_make_target_that_a_document_names_exists(document: str) -> None:
    named = re.findall(r"(?:`|\$ )make ([a-z][a-z0-9-]*)", (ROOT / document).read_text())
    assert set(named) <= TARGETS


def test_make_alone_explains_every_target() -> None:
    assert TARGETS - PARTS == EXPLAINED


def test_ci_runs_lint_test_and_e2e_and_nothing_that_the_readme_does_not_name() -> None:
    """But for what `make e2e` builds, which it begins beforehand."""
    commands = re.findall(r"^(?:nice \S+ \S+ )?(make [a-z0-9-]+)(.*)", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
    assert commands.pop(1) == ("make e2e-build", " & building=$!")
    assert commands == [("make venv", ""), ("make lint", ""), ("make test", ""), ("make e2e", "")]
    readme = (ROOT / "README.md").read_text()
    assert all(f"$ {line}" in readme for line, _ in commands)
