"""`levee run` of the toy, as a process of its own that can be killed: python -m tests.worlds.toy_run PLACE

Called by: the tests of crashes.
"""

import sys
from pathlib import Path

from levee.cli.local.start import run_here
from tests.worlds.toy import asked

if __name__ == "__main__":
    sys.exit(run_here(asked(Path(sys.argv[1]))))
