"""`levee run` and the other commands on that run, each a process of its own, as users have it.

Called by: the tests of whole runs.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

LEVEE = [sys.executable, "-c", "from levee.cli.main import main; main()"]
WITHIN_S = 300.0


@contextmanager
def running(place: Path, resource: str) -> Iterator[None]:
    """Until somebody stops it; all that it writes lies in one place."""
    file = place / "levee.yaml"
    file.write_text(resource, encoding="utf-8")
    log = (place / "log").open("wb")
    run = subprocess.Popen([*LEVEE, "run", "-f", str(file), "--directory", str(place / "run"), "--plain"], stdout=log, stderr=log)
    try:
        yield
        assert run.wait(WITHIN_S) == 0, (place / "log").read_text(encoding="utf-8")
    finally:
        run.terminate()
        run.wait()
        log.close()


def levee(place: Path, *words: str) -> str:
    done = subprocess.run([*LEVEE, *words, "--directory", str(place / "run")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def until(holds: Callable[[], bool], what: str) -> None:
    end_s = time.monotonic() + WITHIN_S
    while not holds():
        assert time.monotonic() < end_s, what
        time.sleep(0.5)
