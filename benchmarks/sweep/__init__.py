"""Kills the operator, or a worker, right before and right after each write of a whole life, one life for each, and judges what follows."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "hack"))  # what is in hack/ is imported from there, as tests do
