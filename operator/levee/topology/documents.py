"""From bytes and text to documents: the edge where YAML (and JSON, which is YAML) comes in.

Why: whatever stands in a file, the answer is values or complaints; never an exception, never a machine brought to its knees.
Called by: topology.load; the command line, for bytes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any

import yaml
from yaml.events import DocumentStartEvent, Event, StreamEndEvent

from levee.topology.complaint import Complaint
from levee.topology.paths import Path
from levee.topology.yaml_tree import Composer, TreeError

SIZE_MAX = 1_572_864  # what etcd takes in one request: no larger resource can exist
TEXT_MAX = 16 * SIZE_MAX
DOCUMENTS_MAX = 1000
_START = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_BODY = re.compile(r"^(?!\s*(#|$)|%)", re.MULTILINE)  # something else than comments and directives
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser where PyYAML was built with it


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document: its value, or why it has none."""

    line: int  # where it begins
    value: Any = None
    complaints: tuple[Complaint, ...] = ()
    written: dict[Path, str] = field(default_factory=dict)  # booleans as they stand in the text


def decode(data: bytes) -> str | Complaint:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Complaint(f"line {line}", f"the byte 0x{data[error.start]:02x} is not UTF-8", "save the file as UTF-8 text")


def read_documents(text: str) -> tuple[Document, ...]:
    """All documents of a text; there is always at least one."""
    if len(text) > TEXT_MAX:
        wrong = f"the text is larger than {TEXT_MAX / 2**20:g} MiB, the most that is read at once"
        return (Document(1, complaints=(Complaint("line 1", wrong, "split it into several files"),)),)
    if sum(1 for _ in islice(_START.finditer(text), DOCUMENTS_MAX)) == DOCUMENTS_MAX:
        return (Document(1, complaints=(Complaint("line 1", f"holds {DOCUMENTS_MAX} documents or more", "split it into several files"),)),)
    documents = tuple(document for first_line, part in _parts(text) for document in _read(first_line, part))
    filled = tuple(document for document in documents if document.complaints or document.value is not None)
    return filled or (
        Document(1, complaints=(Complaint("line 1", "there is nothing in it", "write a FaultTolerantTopology, or name another file"),)),
    )


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """Documents as text, each with the number of its first line; a line that starts with --- ends the one before wherever it stands."""
    starts = [match.start() for match in _START.finditer(text)]
    if starts and not _BODY.search(text[: starts[0]]):
        starts = starts[1:]  # Comments and directives belong to the document that they precede.
    first_line = 1
    for start, end in pairwise([0, *starts, len(text)]):
        yield first_line, text[start:end]
        first_line += text.count("\n", start, end)


def _read(first_line: int, text: str) -> Iterator[Document]:
    """What one part holds: a document, or several that end with `...`; the first break of the syntax ends it."""
    if len(text) > SIZE_MAX or len(text.encode(errors="replace")) > SIZE_MAX:
        yield Document(first_line, complaints=(_too_large(first_line),))
        return
    events = _events(first_line, text)
    try:
        for event in events:
            if isinstance(event, DocumentStartEvent):
                composer = Composer(events, first_line)
                value = composer.document()
                line = first_line + (event.start_mark.line if event.start_mark else 0)
                yield Document(line, value, tuple(composer.complaints), composer.written)
    except TreeError as error:
        yield Document(first_line, complaints=(error.complaint,))


def _events(first_line: int, text: str) -> Iterator[Event]:
    """The parser's events; what it raises becomes a complaint with line and column."""
    try:
        loader = _Loader(text)
        while not isinstance(event := loader.get_event(), StreamEndEvent):
            yield event
    except yaml.MarkedYAMLError as error:
        raise TreeError(_syntax(first_line, text, error)) from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise TreeError(_character(first_line, text)) from error


def _syntax(first_line: int, text: str, error: yaml.MarkedYAMLError) -> Complaint:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    where = f"line {first_line + line}, column {column + 1}"
    if text.split("\n")[line : line + 1] and "\t" in text.split("\n")[line][: column + 1]:
        return Complaint(where, "a tab stands where YAML wants spaces", "indent with spaces")
    if "mapping values are not allowed" in (error.problem or ""):
        return Complaint(
            where, "a colon stands where no new key can begin", "quote the text that holds the colon, or begin a new line for the key"
        )
    return Complaint(
        where,
        f"is not YAML: {error.problem or 'it cannot be parsed'}",
        "look at quotes, brackets and indentation here and in the line before",
    )


def _character(first_line: int, text: str) -> Complaint:
    """The readers of PyYAML name a position only; line and column help more."""
    found = _FORBIDDEN.search(text)
    if found is None:
        return Complaint(f"line {first_line}", "holds a character that YAML does not allow", "remove it")
    line, column = text.count("\n", 0, found.start()), found.start() - text.rfind("\n", 0, found.start())
    return Complaint(
        f"line {first_line + line}, column {column}", f"the character U+{ord(found[0]):04X} is not allowed in YAML", "remove it"
    )


def _too_large(first_line: int) -> Complaint:
    wrong = f"the document is larger than {SIZE_MAX / 2**20:g} MiB, the most that Kubernetes keeps"
    return Complaint(f"line {first_line}", wrong, "split it into several topologies")
