"""`python -m hack.dashboards` writes helm/levee/files/dashboards."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # what is in hack/ is imported from there, as tests do

from dashboards.written import FOLDER, texts

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
