"""`python -m levee_spark.check PASS.json`"""

import os
import sys
from pathlib import Path

from levee_spark.check.order import PassOrder
from levee_spark.check.passing import opened

if __name__ == "__main__":
    with opened(PassOrder.read(Path(sys.argv[1]))) as one:
        one.run()
    sys.stderr.flush()
    os._exit(0)  # threads of a function that never returned may still be there
