"""Grafana's dashboards, from typed builders: one module for each, and the JSON of all in helm/levee/files/dashboards.

Why: JSON of thousands of lines cannot be read, and a mistake in it is a panel that stays empty when it is needed.
Called by: `make dashboards`; a test holds the JSON to this package, and another runs every query.
"""
