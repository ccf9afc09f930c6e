"""What holds for all tests.

Why: no test may fail because a machine is slow, and a failing example must say how to replay it.
Called by: pytest.
"""

from hypothesis import settings

settings.register_profile("levee", deadline=None, print_blob=True)
settings.load_profile("levee")
