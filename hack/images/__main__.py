"""`python -m hack.images VERB`; -h says more."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # what is in hack/ is imported from there, as tests do

from images.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
