"""The descriptor as it is measured: rates, selectivity and CPU per row, each with an interval. Pure: counts in, estimates out."""
