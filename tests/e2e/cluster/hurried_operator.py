"""An operator that looks every second, and not every half minute, at what workers have spent: drift shows after seconds.

Why: a dwell is the user's to choose, and how often is measured is not; nobody's tests wait for five minutes.
Called by: operators, as a program.
"""

from levee.serve import drifts
from levee.serve.app import Settings, serve

EVERY_MS = 1_000

if __name__ == "__main__":
    vars(drifts).update(EVERY_MS=EVERY_MS)  # in this process alone
    serve(Settings.read())
