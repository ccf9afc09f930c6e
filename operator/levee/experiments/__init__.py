"""Experiments as resources: what a FaultExperiment may say, what is wrong with one, and the same as a document for Chaos Toolkit."""
