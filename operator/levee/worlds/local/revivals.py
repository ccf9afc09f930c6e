"""Nodes that somebody wants back: a note in the run's folder for each, taken by the run at its next turn.

Why: a node is a child of the run's process, so nobody else can start it again; and a command must not need a word with the run itself.
Called by: `levee revive` (asks), `world` (takes).
"""

from collections.abc import Iterator

from levee.topology.names import NodeName
from levee.worlds.local.folder import Folder


def ask(folder: Folder, node: NodeName) -> None:
    folder.revivals.mkdir(exist_ok=True)
    (folder.revivals / node).touch()


def taken(folder: Folder) -> Iterator[NodeName]:
    """Each once."""
    if folder.revivals.is_dir():
        for note in sorted(folder.revivals.iterdir()):
            note.unlink(missing_ok=True)
            yield NodeName(note.name)
