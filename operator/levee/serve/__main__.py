"""`python -m levee.serve`: the operator."""

from levee.serve.app import Settings, serve

if __name__ == "__main__":
    serve(Settings.read())
