"""Run the planning bench: `python -m benchmarks.planning [--quick]`, or `make bench-planning [QUICK=1]`.

Results are kept as they come; an interrupted run goes on where it ended. What other code has measured is measured anew.
"""

import sys
from typing import NoReturn


def main() -> NoReturn:
    try:
        from benchmarks.planning.run import run  # noqa: PLC0415 - importing takes a while, and Ctrl-C may come in it

        sys.exit(run())
    except KeyboardInterrupt:
        print("\ninterrupted; what was measured is kept, and the same command goes on from there", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
