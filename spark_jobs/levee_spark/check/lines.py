"""Where in the user's file something is called, by reading it: plans do not say which line they come from.

Called by: plans, passing.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

CLOCKS = {("time", "time"), ("time", "time_ns"), ("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}
CHANCE = {("uuid", "uuid1"), ("uuid", "uuid4"), ("os", "urandom")}
CHANCE_MODULES = {"random", "secrets"}


@dataclass(frozen=True, slots=True)
class Call:
    name: str  # "f.rand", "time.time"
    place: str  # file:line


def places_of(function: Callable[..., Any], names: frozenset[str]) -> tuple[str, ...]:
    """Where one of these is called, or named in an SQL expression."""
    return tuple(one.place for one in calls(function) if one.name.rpartition(".")[2] in names)


def unrepeatable(function: Callable[..., Any]) -> tuple[Call, ...]:
    """Calls of Python's own clocks and dice."""
    return tuple(one for one in calls(function) if is_unrepeatable(one.name))


def is_unrepeatable(name: str) -> bool:
    parts = tuple(name.split("."))
    return parts[-2:] in CLOCKS | CHANCE or (len(parts) > 1 and parts[-2] in CHANCE_MODULES and parts[-1] != "Random")


def calls(function: Callable[..., Any]) -> Iterator[Call]:
    for one in reached(inspect.unwrap(function)):
        yield from calls_in(one)


def reached(function: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """It and the functions of its module that it names, and those that they name."""
    seen, waiting = set[int](), [function]
    while waiting:
        one = waiting.pop()
        if not inspect.isfunction(one) or id(one) in seen or one.__module__ != function.__module__:
            continue
        seen.add(id(one))
        yield one
        waiting.extend(one.__globals__[name] for name in names_of(one.__code__) if name in one.__globals__)


def names_of(code: CodeType) -> Iterator[str]:
    """With those of the functions within it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_of(constant)


def calls_in(function: Callable[..., Any]) -> Iterator[Call]:
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError):  # there is no source, or it is no whole statement
        return
    file = inspect.getsourcefile(function)
    for node in ast.walk(tree):
        match node:
            case ast.Call():
                yield Call(ast.unparse(node.func), f"{file}:{first + node.lineno - 1}")
            case ast.Constant(value=str(text)):
                yield from (Call(word, f"{file}:{first + node.lineno - 1}") for word in words_before_brackets(text))
            case _:
                pass


def words_before_brackets(text: str) -> Iterator[str]:
    """Of SQL: `rand()` in "floor(rand() * 10)"."""
    for part in text.split("(")[:-1]:
        word = part.split()[-1] if part.split() else ""
        yield "".join(one if one.isalnum() or one == "_" else " " for one in word).split(" ")[-1]
