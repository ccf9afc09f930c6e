"""The front door of `levee`: what is imported before anybody can be told that Ctrl-C came.

Why: importing the command takes long enough to be interrupted in it, and that must not show a traceback either. So nothing is imported here
that takes time, and all else only behind the `try`.
Called by: the console script `levee`, and tests.
"""

import sys
from collections.abc import Sequence

INTERRUPTED = 130  # Exit.INTERRUPTED, which is not imported yet


def run(args: Sequence[str] | None = None, obj: object = None) -> int:
    """Run one command and say how it ended; `obj` reaches the commands as the click context's object."""
    try:
        from levee.cli.main_command import run as run_command

        return run_command(args, obj)
    except KeyboardInterrupt:
        if sys.stderr is not None:
            print("levee: interrupted, nothing was found yet.", file=sys.stderr)
        return INTERRUPTED


def main() -> None:
    sys.exit(run())
