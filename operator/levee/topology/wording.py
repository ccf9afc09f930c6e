"""How mistakes are put: one mistake of shape in words, did-you-mean, lists of choices.

Why: every check speaks to the same user, so equal mistakes should read alike.
Called by: topology.shape, topology.checks.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from difflib import SequenceMatcher, get_close_matches

from levee.topology.complaint import Complaint

COMPLAINTS_MAX = 100


def close_to(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant."""
    names = {folded(name): name for name in known}
    matches = get_close_matches(folded(word[:100]), names, n=1, cutoff=0.6)
    return names[matches[0]] if matches else None


def all_close_to(word: str, known: Sequence[str]) -> list[str]:
    """Those that may have been meant: what stands below a word that leads there (vwap: vwap/0, vwap/1), else all that are equally near."""
    below = [name for name in known if word and name.startswith(f"{word}/")]
    nearest = None if below else close_to(word, known)
    if nearest is None:
        return below
    least = nearness(word, nearest)
    return [name for name in known if nearness(word, name) >= least]


def nearness(word: str, name: str) -> float:
    return SequenceMatcher(None, folded(name), folded(word[:100])).ratio()


def folded(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def listed(words: Iterable[object], last: str = "or") -> str:
    """a, b or c"""
    texts = [str(word) for word in words]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {last} {texts[-1]}" if texts else ""


def shortened(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def printable(text: str, most: int) -> str:
    """What a user's text may do to a terminal: nothing but be read, and not for pages."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in shortened(text, most))


def tidied(complaint: Complaint) -> Complaint:
    return Complaint(printable(complaint.where, 300), printable(complaint.wrong, 600), printable(complaint.fix, 600))


def number(value: float) -> str:
    """Six digits, never with an exponent."""
    return f"{Decimal(f'{value:.6g}'):f}"


def count(many: int, noun: str) -> str:
    """1 task, 2 tasks"""
    return f"{many} {noun}" if many == 1 else f"{many} {noun}s"


def complaint_text(complaint: Complaint) -> str:
    return f"  {complaint.where}: {complaint.wrong}.\n    Fix: {complaint.fix}."


def describe(name: str, complaints: Sequence[Complaint]) -> str:
    """All complaints about one document as one block of text."""
    shown = "\n".join(map(complaint_text, complaints[:COMPLAINTS_MAX]))
    rest = len(complaints) - COMPLAINTS_MAX
    return f"{name} is not valid: {count(len(complaints), 'mistake')}.\n{shown}" + (f"\n  ... and {rest} more." if rest > 0 else "")
