"""`python -m levee_spark.worker ORDER.json`"""

import sys

from levee_spark.worker.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
