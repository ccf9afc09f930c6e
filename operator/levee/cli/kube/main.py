"""The front door of `kubectl levee`, as kubectl finds it: an executable by the name of kubectl-levee.

Called by: the console script, and tests.
"""

import sys
from collections.abc import Sequence

NAME = "kubectl levee"
INTERRUPTED = 130  # Exit.INTERRUPTED, which is not imported yet


def run(args: Sequence[str] | None = None) -> int:
    """Exit codes are kubectl's: it has one for every mistake."""
    try:
        from levee.cli.kube.group import kube
        from levee.cli.main_command import run as run_command
        from levee.plans.ending import Exit

        code = run_command(args, group=kube, name=NAME)
        return Exit.REFUSED if code == Exit.USAGE else code
    except KeyboardInterrupt:
        return INTERRUPTED


def main() -> None:
    sys.exit(run())
