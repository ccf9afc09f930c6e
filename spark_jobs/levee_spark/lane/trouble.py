"""What a user's function has done wrong, told in the user's own lines; and a limit for functions that never return.

Why: a traceback through Spark, py4j and the JVM is pages long, and the three lines that matter are somewhere in it.
Called by: query; worker.operating, which adds the epoch and a sample of the input; check.
"""

import ctypes
import inspect
import linecache
import re
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Thread
from typing import TypeVar

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

T = TypeVar("T")

FRAME = re.compile(r'^ *File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<name>\S+)(?:\n +(?P<code>\S.*))?', re.MULTILINE)
TRACEBACK = "Traceback (most recent call last):"
DUMP = "(most recent call first):"  # as Python's faulthandler begins what it writes of each thread
FATAL = "Fatal Python error: "  # it begins with that unless it was asked to, by a signal of ours
DUMPED = re.compile(r'^ *File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<name>\S+)', re.MULTILINE)
OURS = ("levee_spark/lane", "levee_spark/check", "levee_spark/spark", "levee_spark/worker")
MACHINERY = ("pyspark", "py4j", "pandas", "numpy", "pyarrow", *OURS)
STDLIB = sysconfig.get_path("stdlib")
PLAN = re.compile(r";?\n['+:~ A-Z].*\Z", re.DOTALL)  # what Spark puts after the message: the plan, which is not the user's words
LINES_MAX = 12


class Failed(Exception):
    """The function raised, or is none that Levee can use; the text is for the user."""


class Trouble(Exception):
    """The machine was at fault, so the epoch says nothing of the function: it stays to be done, and nothing of it may be given up."""


class Crashed(Trouble):
    """A process in which the function ran is gone, or its memory: either may have been at fault."""


def explained(error: BaseException) -> str:
    """What happened, and the user's own lines, the innermost last."""
    if isinstance(error, Failed | Trouble):
        return str(error)
    text = str(error)
    if TRACEBACK in text:  # it was raised in a Python process of Spark's, which sends its traceback as text
        return "\n".join([*raised_in(text), *own_lines(FRAME.finditer(text))])
    if DUMP in text:  # a process of Spark's has died, and left where it was
        return "\n".join([died_of(first_words(error)), *own_lines_dumped(text)])
    frames = traceback.extract_tb(error.__traceback__)
    lines = [told(frame.filename, frame.lineno or 0, frame.name, frame.line or "") for frame in frames if is_own(frame.filename)]
    return "\n".join([first_words(error), *lines[-LINES_MAX:]])


def first_words(error: BaseException) -> str:
    if isinstance(error, Py4JJavaError):  # none that PySpark knows; its text would be pages of Java
        return str(error.java_exception.toString())
    text = PLAN.sub("", str(error)) if isinstance(error, PySparkException) else str(error)
    return f"{type(error).__name__}: {text}".rstrip(": ")


def raised_in(text: str) -> list[str]:
    """The last lines of a traceback that are not indented: the exception itself."""
    lines = text[text.rindex(TRACEBACK) :].rstrip().splitlines()
    start = max(at for at, line in enumerate(lines) if line.startswith(" ") or line == TRACEBACK) + 1
    return [line for line in lines[start:] if line.strip()] or lines[-1:]


def own_lines(frames: Iterator[re.Match[str]]) -> list[str]:
    found = [told(one["file"], int(one["line"]), one["name"], one["code"] or "") for one in frames if is_own(one["file"])]
    return found[-LINES_MAX:]


def died_of(words: str) -> str:
    """Of what, in Spark's words: its first line, without the layers around it."""
    return words.splitlines()[0].rpartition("SparkException: ")[2]


def is_hung(text: str) -> bool:
    """Of a process that is gone: it was told to end, and to say where."""
    return DUMP in text and FATAL not in text


def own_lines_dumped(text: str) -> list[str]:
    """Of all threads, the first of the process last; once, however often Spark says it. The innermost line is last, as everywhere."""
    threads = [list(DUMPED.finditer(one)) for one in text.split(DUMP)[1:]]
    frames = [frame for thread in threads for frame in reversed(thread) if is_own(frame["file"])]
    lines = [told(one["file"], int(one["line"]), one["name"], linecache.getline(one["file"], int(one["line"]))) for one in frames]
    return list(dict.fromkeys(lines))[-LINES_MAX:]


def told(file: str, line: int, name: str, code: str) -> str:
    return f"  {file}:{line} in {name}: {code.strip()}".rstrip(": ")


def is_own(file: str) -> bool:
    """Not Spark's, not Python's, not ours: what stands relative to nowhere was compiled from elsewhere."""
    if not Path(file).is_absolute():
        return False
    if file.startswith(STDLIB) and "site-packages" not in file:
        return False
    return not any(f"/{name}/" in file for name in MACHINERY)


def within(limit_s: float, call: Callable[[], T]) -> T:
    """What it returns or raises, if it does either in time; else it is told to end, which pure Python heeds."""
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:  # noqa: BLE001  # it is raised again, in the thread that waits
            errors.append(error)

    thread = Thread(target=run, daemon=True, name="levee-function")
    thread.start()
    thread.join(limit_s)
    if thread.is_alive() and thread.ident is not None:
        hanging = hangs_at(thread.ident)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
        raise never_returned(limit_s, hanging)
    if errors:
        raise errors[0]
    return results[0]


def never_returned(limit_s: float, hanging: Sequence[str], place: str = "") -> Failed:
    """`place`: the function's own, for what was met outside of the user's lines: between two rows of an endless generator, or in Java."""
    text = f"the function has not returned within {limit_s:g} s, so it was cancelled; the epoch stays to be done"
    return Failed("\n".join([text, *hanging]) if hanging else text + place)


def hangs_at(thread: int) -> list[str]:
    """The user's own lines where it is now."""
    frames = traceback.extract_stack(sys._current_frames().get(thread))  # noqa: SLF001  (documented; there is no other)
    lines = [told(frame.filename, frame.lineno or 0, frame.name, frame.line or "") for frame in frames if is_own(frame.filename)]
    return lines[-LINES_MAX:]


def place_of(function: Callable[..., object]) -> str:
    """Where it begins; nothing for what is no function of Python's."""
    code = getattr(inspect.unwrap(function), "__code__", None)  # not what is wrapped around it
    return f"\n{told(code.co_filename, code.co_firstlineno, code.co_name, '')}" if code is not None else ""
