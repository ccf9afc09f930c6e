"""The command behind `make servers` and `make e2e`.

Why: a command can be run under servers that start before it and end after it, whatever happens to either.
Called by: hack/real_servers.py.
"""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Sequence

from servers.install import USUAL, install, names, pinned_lines
from servers.keeper import die_with_parent
from servers.pins import read_pins
from servers.s3 import KINDS
from servers.stack import needed, stack
from servers.trouble import ServerTrouble


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    try:
        match chosen.verb:
            case "install":
                install(chosen.names or USUAL)
            case "run":
                install(needed(chosen.s3))
                return run(chosen.s3, chosen.command)
            case _:
                print("\n".join(f'    "{line}",' for line in pinned_lines(chosen.name)))
    except ServerTrouble as trouble:
        print(trouble, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


def parser() -> argparse.ArgumentParser:
    pins = read_pins()
    top = argparse.ArgumentParser(prog="real_servers.py", description="Real servers for tests, on loopback and without root.")
    verbs = top.add_subparsers(dest="verb", required=True)
    adding = verbs.add_parser("install", help="install what is not there yet")
    adding.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names(pins))}; none: all but minio")
    running = verbs.add_parser("run", help="run a command while the servers run")
    running.add_argument("--s3", choices=KINDS, default=KINDS[0], help="which S3 server")
    running.add_argument("command", nargs="+", metavar="COMMAND")
    pinning = verbs.add_parser("pin", help="print the jars that the roots of a set need today, for pins.toml")
    pinning.add_argument("name", choices=list(pins.jars))
    return top


def run(s3_kind: str, command: Sequence[str]) -> int:
    """Signals are passed on, never raised: an exception from a handler is lost where Python runs a callback (at a fork, for one)."""
    with stack(s3_kind) as told:
        running = subprocess.Popen(command, env={**os.environ, **told}, preexec_fn=die_with_parent)  # noqa: PLW1509 - one thread
        signal.signal(signal.SIGTERM, lambda *_: running.terminate())
        signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C has reached the command, too
        code = running.wait()
    return code if code >= 0 else 128 - code  # as a shell says that it was killed
