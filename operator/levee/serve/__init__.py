"""The operator: watches resources of kind FaultTolerantTopology, and makes what they say true.

Called by: `python -m levee.serve`, in the operator's pod.
"""
