"""From what was asked to a report: read the wish, choose nodes, solve, verify, measure, judge."""
