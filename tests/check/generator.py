"""Numbers, each with a name and a price that no binary fraction is.

Called by: `levee check`, in tests.
"""

from collections.abc import Mapping

import pyarrow as pa


def rows(epoch: int, _options: Mapping[str, str], _task: int, _tasks: int) -> pa.Table:
    values = range(20 * (epoch - 1), 20 * epoch)
    names = ["even" if value % 2 == 0 else "odd" for value in values]
    return pa.table({"value": list(values), "name": names, "price": [value / 10 + 1e-3 * value**1.5 for value in values]})
