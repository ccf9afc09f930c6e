"""`levee run` of the toy, as a process of its own that can be killed: python -m tests.worlds.toy_run PLACE [FAILURE_TIMEOUT]

Called by: the tests of crashes and of chaos.
"""

import sys
from pathlib import Path

from levee.cli.local.start import run_here
from tests.worlds.toy import IN_ZONES, asked

if __name__ == "__main__":
    place, *timeout = sys.argv[1:]
    sys.exit(run_here(asked(Path(place), failure_timeout=timeout[0], nodes=IN_ZONES) if timeout else asked(Path(place))))
