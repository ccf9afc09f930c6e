"""`python -m levee.serve`: the operator."""

import gc

gc.disable()  # of what is imported nothing is garbage, and to look for it would be a tenth of the time that it takes

from levee.serve.app import Settings, serve  # noqa: E402

gc.freeze()
gc.enable()

if __name__ == "__main__":
    serve(Settings.read())
