"""The kinds of field that a resource is made of: names, durations, cores, fractions, columns, modules.

Why: a kind of field is parsed, described in the schema and complained about in the same way wherever it stands.
Called by: topology.spec and its parts.
"""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from levee.topology.units import CORES_PATTERN, DURATION_PATTERN, MEMORY_PATTERN, UnitError, parse_cores, parse_duration, parse_memory

LABEL_PATTERN = r"^[a-z]([-a-z0-9]*[a-z0-9])?$"
NODE_PATTERN = r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"
FUNCTION_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*:[A-Za-z_][A-Za-z0-9_]*$"
URI_PATTERN = r"^(file|s3|gs|az|abfss?|memory)://.+$"
COUNT_MAX = 1024  # tasks of an operator; also bounds the schema's lists
STREAMS_MAX = 256


class Part(BaseModel):
    """A part of the resource: unknown fields are mistakes, and nothing is converted behind the user's back."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, alias_generator=to_camel, allow_inf_nan=False)


def _with_unit(parse: Callable[[object], float]) -> Callable[[object], float]:
    def validate(value: object) -> float:
        try:
            return parse(value)
        except UnitError as error:
            raise PydanticCustomError("unit", "{wrong}", {"wrong": error.wrong, "fix": error.fix}) from error

    return validate


def _schema(**keywords: Any) -> WithJsonSchema:
    return WithJsonSchema(dict(keywords))


# Names are checked by topology.checks, not here: a badly formed name can still be referred to, so nothing else need be hidden.
Name = Annotated[str, _schema(type="string", pattern=LABEL_PATTERN, maxLength=63)]
NodeId = Annotated[str, Field(min_length=1, max_length=253, pattern=NODE_PATTERN)]
Duration = Annotated[float, BeforeValidator(_with_unit(parse_duration)), _schema(type="string", pattern=DURATION_PATTERN, maxLength=64)]
Cores = Annotated[
    float,
    BeforeValidator(_with_unit(parse_cores)),
    _schema(**{"x-kubernetes-int-or-string": True, "pattern": CORES_PATTERN, "maxLength": 32}),
]
Memory = Annotated[int, BeforeValidator(_with_unit(parse_memory)), _schema(type="string", pattern=MEMORY_PATTERN, maxLength=16)]  # MiB
Fraction = Annotated[float, Field(gt=0, le=1)]
Positive = Annotated[float, Field(gt=0, le=1e12)]
Count = Annotated[int, Field(ge=1, le=COUNT_MAX)]
Shares = Annotated[list[Fraction], Field(min_length=1, max_length=COUNT_MAX)]
Text = Annotated[str, Field(min_length=1, max_length=1024)]
Options = Annotated[dict[str, Annotated[str, Field(max_length=65536)]], Field(max_length=256)]
