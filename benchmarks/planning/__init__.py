"""The evidence for planning: the evaluations of LAAR and of PPA done again, our solvers beside theirs."""
