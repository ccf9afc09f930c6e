"""Kinds of flags: texts that one of our parsers reads, and words out of a list.

Why: a wrong flag should be answered like any other mistake: with what was wrong and what was probably meant.
Called by: the commands.
"""

from collections.abc import Callable, Sequence
from typing import Any

import click

from levee.plans.ending import did_you_mean
from levee.topology.units import UnitError


class Parsed(click.ParamType[Any]):
    """A flag whose text a function reads; what that raises is the usage error."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name, self.parse = name, parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self.parse(value)
        except UnitError as mistake:
            self.fail(f"{mistake.wrong}; {mistake.fix}.", param, ctx)
        except ValueError as mistake:
            self.fail(str(mistake), param, ctx)


class OneOf(click.ParamType[str]):
    name = "word"

    def __init__(self, words: Sequence[str]) -> None:
        self.words = [str(word) for word in words]

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "|".join(self.words)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.words:
            self.fail(f"there is no '{value}'. {did_you_mean(str(value), self.words)}", param, ctx)
        return str(value)
