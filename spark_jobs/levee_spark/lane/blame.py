"""Whether the machine or the function was at fault for what a query has died of.

Why: with `onError: skip` the rows of an epoch whose function raises are given up. A full disk, a lost executor or a Python process that
somebody killed says nothing of the function, so no row may be lost by it.
Called by: query, for everything that Spark raises.
"""

import errno
import re
from collections.abc import Iterator

from levee_spark.lane.trouble import TRACEBACK, Crashed, Failed, Trouble, explained, is_hung, never_returned, own_lines_dumped, raised_in

CRASHED = re.compile(r"Python worker (exited unexpectedly|failed to connect back)|(from|by) pyspark\.daemon")
LOST = re.compile(r"ExecutorLostFailure|FetchFailed|SparkContext was shut ?down|stopped SparkContext|the query ended by itself")
OF_THE_MACHINE = re.compile(
    r"(java\.(io|nio\.file|nio\.channels|net)|org\.apache\.hadoop|org\.rocksdb)\..*|java\.lang\.InterruptedException"
)
OF_THE_ROWS = re.compile(  # what Java keeps beside its I/O, and functions cause: a bad address, what cannot be sent
    r"java\.net\.(URISyntax|MalformedURL)Exception"
    r"|java\.io\.(NotSerializable|ObjectStream|Invalid(Class|Object)|UTFDataFormat|UnsupportedEncoding|StreamCorrupted)\w*"
)
OUT_OF_MEMORY = ("java.lang.OutOfMemoryError", "org.apache.spark.memory.SparkOutOfMemoryError")
FULL = re.compile(rf"^OSError: \[Errno ({errno.ENOSPC}|{errno.EDQUOT}|{errno.EIO}|{errno.ENOMEM})\]")
CAUSES_MAX = 20


def judged(error: Exception, limit_s: float, place: str = "") -> Failed | Trouble:
    """As what it is to be raised. `limit_s`: after which Python processes end themselves, see `spark.hanging`; `place`: the function's."""
    told = explained(error)
    if isinstance(error, Failed | Trouble):
        return error
    if TRACEBACK in str(error):
        return by_python(raised_in(str(error))[0], told)
    causes = list(causes_of(error))
    if (hung := next((text for _, text in causes if is_hung(text)), None)) is not None:
        return never_returned(limit_s, own_lines_dumped(hung), place)
    return by_java(causes, told) if causes else by_python(told, told)


def by_java(causes: list[tuple[str, str]], told: str) -> Failed | Trouble:
    if any(name in OUT_OF_MEMORY or CRASHED.search(text) for name, text in causes):
        return Crashed(told)
    lost = any(LOST.search(text) for _, text in causes)
    machine = any(OF_THE_MACHINE.fullmatch(name) and not OF_THE_ROWS.fullmatch(name) for name, _ in causes)
    return Trouble(told) if lost or machine else Failed(told)


def by_python(words: str, told: str) -> Failed | Trouble:
    """Raised in Python, by the function or by what moves its rows."""
    if words.startswith("MemoryError"):
        return Crashed(told)
    return Trouble(told) if FULL.match(words) else Failed(told)


def causes_of(error: Exception) -> Iterator[tuple[str, str]]:
    """Java's exceptions, the outermost first: class and text."""
    java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    for _ in range(CAUSES_MAX):
        if java is None:
            return
        yield java.getClass().getName(), str(java.getMessage())
        java = java.getCause()
