"""The one exception of this package.

Why: who runs the tests must read what is missing and what to install, not a traceback of ours.
Called by: every module here; __main__ prints it, the fixtures say it as the reason why a test cannot run.
"""


class ServerTrouble(Exception):
    """A server cannot be installed or started; the text says why and what to do."""
