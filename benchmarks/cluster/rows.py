"""What one measurement found, and what it was asked for; both are JSON.

Called by: benches on the cluster.
"""

from typing import Any

Row = dict[str, Any]
Key = tuple[Any, ...]
