"""Answer a question about a stream in a worker's pod: `python -m levee.cli.kube.inside QUESTION`.

Why: the worker's container has the topology, its UID and the store's credentials; nothing has to leave it but rows.
Called by: cli.kube.tail, as kubectl exec would do it.
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

from levee.cli.kube.reading import Question, lines, told
from levee.plans.ending import Exit, Refused
from levee.topology.load import load_bytes

ORDER = "LEVEE_ORDER"


def main(arguments: Sequence[str]) -> int:
    order = json.loads(os.environ[ORDER])
    file = Path(order["resource"])
    [loaded] = load_bytes(file.read_bytes(), origin=str(file))
    assert loaded.resource is not None, "the worker runs it"
    Thread(target=end_with_whoever_asked, daemon=True).start()
    try:
        for line in lines(loaded.resource, order["uid"], None, Question.of(arguments[0])):
            print(line, flush=True)
    except Refused as refused:
        print(told(refused), file=sys.stderr)
        return Exit.REFUSED
    except (BrokenPipeError, KeyboardInterrupt):
        return Exit.PIPE
    return Exit.OK


def end_with_whoever_asked() -> None:
    """Who has gone closes our input; without a word from us nothing else would tell."""
    sys.stdin.read()
    os._exit(Exit.PIPE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
