"""Measures the controller: how long topologies take to start and to be taken over, and what one event costs."""
