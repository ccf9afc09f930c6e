"""All dashboards as they are shipped.

Called by: __main__, which writes them; tests, which compare them and run their queries.
"""

import json
from pathlib import Path

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from dashboards import operator, overview, topology

FOLDER = Path(__file__).parents[2] / "helm" / "levee" / "files" / "dashboards"
ALL = (overview, topology, operator)


def texts() -> dict[str, str]:
    """By the name of the file."""
    return {f"{one.UID}.json": text(one.dashboard()) for one in ALL}


def text(dashboard: object) -> str:
    return json.dumps(dashboard, cls=JSONEncoder, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
