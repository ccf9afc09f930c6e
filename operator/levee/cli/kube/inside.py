"""Answer a question about a stream in a worker's pod: `python -m levee.cli.kube.inside QUESTION`.

Why: the worker's container has the topology, its UID and the store's credentials; nothing has to leave it but rows.
Called by: cli.kube.tail, as kubectl exec would do it; counting, which answers another question.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Thread

from levee.cli.kube.reading import Question, lines, told
from levee.plans.ending import Exit, Refused
from levee.topology.load import load_bytes
from levee.topology.spec import Resource

ORDER = "LEVEE_ORDER"


def main(arguments: Sequence[str]) -> int:
    return answer(lambda resource, uid: lines(resource, uid, None, Question.of(arguments[0])), told)


def answer(said: Callable[[Resource, str], Iterable[str]], refusal: Callable[[Refused], str]) -> int:
    """Print what there is to say of the worker's own topology, and end with whoever has asked."""
    order = json.loads(os.environ[ORDER])
    file = Path(order["resource"])
    [loaded] = load_bytes(file.read_bytes(), origin=str(file))
    assert loaded.resource is not None, "the worker runs it"
    Thread(target=end_with_whoever_asked, daemon=True).start()
    try:
        for line in said(loaded.resource, order["uid"]):
            print(line, flush=True)
    except Refused as refused:
        print(refusal(refused), file=sys.stderr)
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
