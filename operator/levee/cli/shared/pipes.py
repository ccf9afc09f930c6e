"""Output that nobody reads any more.

Called by: cli.main_command.
"""

import os
from typing import IO


def close_quietly(stream: IO[str]) -> None:
    """Keep the interpreter from complaining about a closed pipe or a full disk when it flushes on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
