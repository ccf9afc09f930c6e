"""Files that people name, read as wholes, but none that never ends.

Called by: nodes, for files of nodes; the command line, for topologies.
"""

from pathlib import Path
from typing import IO

from levee.topology.documents import TEXT_MAX


def read_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return bounded(file)


def bounded(file: IO[bytes]) -> bytes:
    """A device or a pipe may never end."""
    data = file.read(TEXT_MAX + 1)
    if len(data) > TEXT_MAX:
        raise OSError(0, f"it is larger than {TEXT_MAX / 2**20:g} MiB, the most that is read at once")
    return data
