"""Have FT-Search's machine code ready before its clock starts, and tell people where that takes long.

Why: the first search after an install compiles for some seconds; silent, it looks dead, and within the time limit it would be unfair.
Called by: planning.strategies.
"""

from levee.planning.case import Say
from levee.planning.completeness import ftsearch
from levee.planning.completeness.ftsearch_compile import COMPILED, told_of_compiling
from levee.planning.problem import Edge, Goal, Problem, SourceTask, Task
from levee.topology.graph import Configuration, Node
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId, ZoneName

COMPILING = "compiling FT-Search once, about 15 s"
UNCOMPILED = "FT-Search runs uncompiled and much slower, since numba is not there: pip install numba"


def warm_up(say: Say) -> None:
    """Code is made for kinds of arguments, so the smallest search makes it for all searches."""
    if not COMPILED:
        say(UNCOMPILED)
        return
    with told_of_compiling(lambda: say(COMPILING)):
        ftsearch.solve(_smallest(), Goal(0.5))


def _smallest() -> Problem:
    source = SourceTask(TaskId("in/0"), OperatorName("in"), (1.0,))
    task = Task(TaskId("task/0"), OperatorName("task"), (Edge(source.id, 1.0, 0.1),))
    left, right = NodeName("left"), NodeName("right")
    return Problem(
        sources=(source,),
        tasks=(task,),
        configurations=(Configuration(ConfigurationName("only"), 1.0, {source.operator: 1.0}),),
        nodes=(Node(left, ZoneName(left), 1.0), Node(right, ZoneName(right), 1.0)),
        placement={task.id: (left, right)},
        replicas=2,
    )
