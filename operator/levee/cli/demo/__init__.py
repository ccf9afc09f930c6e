"""`levee demo`: Bargain Discovery, twice, with failures, and the report on it."""
