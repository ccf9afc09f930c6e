"""Times as texts, a whole column at once.

Why: JSON and CSV have no times, and formatting them one by one costs more than all else of a row.
Called by: `formats`, `jsonlines`.
"""

import pyarrow as pa
import pyarrow.compute as pc


def iso(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """2005-12-01T14:30:00.000000Z; without the Z where the column has no zone."""
    texts = column.cast(pa.timestamp(column.type.unit)).cast(pa.string())  # strftime asks the system's time zones: an image has none
    return pc.binary_join_element_wise(pc.replace_substring(texts, " ", "T"), "Z" if column.type.tz else "", "")
