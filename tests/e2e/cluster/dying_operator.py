"""An operator that dies at a chosen moment: by SIGKILL, when the API server has done what was asked and it does not know yet.

Why: a kill from outside hits the middle of dispatching or of canceling by chance only; this one always does.
Called by: operators, as a program: PATTERN COUNT; the pattern is matched with verb, path and body of each request.
"""

import json
import os
import re
import signal
import sys
from typing import Any

from levee.serve.app import Settings, serve
from levee.worlds.kubernetes.api import Api, Object


def arm(pattern: str, count: int) -> None:
    ask, left = Api.ask, count

    def asked(self: Api, verb: str, path: str, body: Object | None = None, **more: Any) -> Object:
        nonlocal left
        answer = ask(self, verb, path, body, **more)
        done = "dryRun" not in (more.get("query") or {})
        left -= done and re.match(pattern, f"{verb} {path} {json.dumps(body)}") is not None
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    Api.ask = asked  # type: ignore[method-assign]  # in this process alone


if __name__ == "__main__":
    arm(sys.argv[1], int(sys.argv[2]))
    serve(Settings.read())
