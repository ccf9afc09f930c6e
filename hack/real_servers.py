"""Install and run the real servers that tests need; `real_servers.py -h` says more.

Why: scripts in hack/ are run by their path, and this one's work is the package beside it.
Called by: `make servers`, `make e2e`.
"""

import sys

from servers.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
