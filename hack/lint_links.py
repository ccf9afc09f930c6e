"""Refuse links in Markdown that lead nowhere: to a missing file, or to a heading that is not there.

Why: the documents move with the tree, and nobody clicks through all of them after each move.
Called by: `make lint`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).parent.parent
SKIPPED = {"node_modules", "build", "dist"}  # besides every folder that begins with a dot
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\[[^\]]*\]\(<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\)|(?:src|srcset|href)=\"([^\"\s]+)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*$", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)  # https:, mailto:


def main() -> int:
    complaints = [line for path in documents(ROOT) for line in complaints_in(path, ROOT)]
    print("\n".join(complaints) if complaints else "lint_links: every link leads somewhere")
    return 1 if complaints else 0


def documents(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*.md")):
        folders = path.relative_to(root).parts[:-1]
        if not any(folder.startswith(".") or folder in SKIPPED for folder in folders):
            yield path


def complaints_in(path: Path, root: Path) -> Iterator[str]:
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    for match in LINK.finditer(CODE.sub("", text)):
        link = match[1] or match[2]
        if not ELSEWHERE.match(link) and (wrong := what_is_wrong(path, link)):
            yield f"{path.relative_to(root)}: {link}: {wrong}"


def what_is_wrong(path: Path, link: str) -> str | None:
    file, _, anchor = unquote(link).partition("#")
    target = path.parent / file if file else path
    if not target.exists():
        return "there is no such file; correct the path or take the link out"
    if anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
        return f"{target.name} has no such heading; its headings are {', '.join(sorted(anchors(target.read_text(encoding='utf-8'))))}"
    return None


def anchors(text: str) -> set[str]:
    """Headings as the web page of the repository names them: lower case, words joined by hyphens."""
    headings = HEADING.findall(FENCE.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


if __name__ == "__main__":
    sys.exit(main())
