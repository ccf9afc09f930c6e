from pathlib import Path

import pytest

from lint_links import complaints_in, documents


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text("# The guide\n\n## What `make` does\n")
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "[guide](docs/guide.md)",
        "[guide](docs/guide.md#what-make-does)",
        "[here](#top-of-page)\n# Top of page",
        "[elsewhere](https://example.org/nothing)",
        "```\n[code](missing.md)\n```",
        "`[code](missing.md)`",
        '<img src="docs/guide.md">',
    ],
)
def test_a_link_that_leads_somewhere_is_fine(text: str, root: Path) -> None:
    (root / "README.md").write_text(text)
    assert list(complaints_in(root / "README.md", root)) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[guide](docs/giude.md)", "README.md: docs/giude.md: there is no such file"),
        ("![picture](docs/levee.svg)", "README.md: docs/levee.svg: there is no such file"),
        ('<source srcset="docs/levee.svg">', "README.md: docs/levee.svg: there is no such file"),
        ("[guide](docs/guide.md#nowhere)", "guide.md has no such heading; its headings are the-guide, what-make-does"),
    ],
)
def test_a_link_that_leads_nowhere_is_reported(text: str, said: str, root: Path) -> None:
    (root / "README.md").write_text(text)
    (complaint,) = complaints_in(root / "README.md", root)
    assert said in complaint


def test_folders_that_begin_with_a_dot_are_not_ours(root: Path) -> None:
    (root / ".venv").mkdir()
    (root / ".venv" / "README.md").write_text("[gone](gone.md)")
    assert list(documents(root)) == [root / "docs" / "guide.md"]
