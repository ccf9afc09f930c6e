"""What cannot work on this machine, as far as that is known without Spark and without running anything of the user's.

Why: who has mistyped a function should not wait for workers to start, and then look for it in their logs.
Called by: cli.local.start; cli.commands.check, cli.commands.validate.
"""

import ast
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from levee.plans.ending import use_instead
from levee.topology.complaint import Complaint
from levee.topology.spec import Resource
from levee_spark.examples.options import ANY, OF_GENERATOR, is_taken

FILES = ("csv", "json", "orc", "parquet", "text", "xml", "avro", "binaryFile")
CONNECTORS = ("kafka", "delta", "iceberg", "hudi")
SOURCES = ("replay", "rate", "rate-micro-batch", "socket", *FILES, *CONNECTORS)
OF_ALL_REPLAYED = ("generator", "epochs")  # the other options are the generator's
SINKS = (*(one for one in FILES if one != "binaryFile"), "console", "noop", "memory", "jdbc", *CONNECTORS)


Places = Sequence[str] | None  # where modules are looked for before Python's own; None: the code is elsewhere, and nobody can tell here


def complaints(resource: Resource, places: Places) -> Iterator[Complaint]:
    importlib.invalidate_caches()  # a file may have been written just now
    for index, operator in enumerate(resource.spec.operators):
        yield from of_function(f"spec.operators[{index}].function", operator.function, places)
    for index, source in enumerate(resource.spec.sources):
        if source.spark is not None:
            where = f"spec.sources[{index}].spark"
            yield from of_format(where, source.spark.format, SOURCES)
            if source.spark.format == "replay":
                yield from of_replay(f"{where}.options", source.spark.options, places)
    for index, sink in enumerate(resource.spec.sinks):
        yield from of_format(f"spec.sinks[{index}].spark", sink.spark.format, SINKS)


def of_format(where: str, form: str, known: Sequence[str]) -> Iterator[Complaint]:
    """The name of a class may be anybody's."""
    if form not in known and form.lower() not in map(str.lower, known) and "." not in form:
        fix = f"{use_instead(form, known)}, or the full name of a connector's class"
        yield Complaint(f"{where}.format", f"'{form}' is no format that is known here", fix)


def of_replay(where: str, options: Mapping[str, str], places: Places) -> Iterator[Complaint]:
    if (name := options.get("generator")) is None:
        yield Complaint(where, "a replayed source names no generator", "write options: {generator: 'module:function'}")
    else:
        yield from of_function(f"{where}.generator", name, places)
        yield from of_generator(where, name, options)
    if not options.get("epochs", "0").isdecimal():
        yield Complaint(f"{where}.epochs", f"'{options['epochs']}' is no number of epochs", "write a number, or leave it out")


def of_generator(where: str, name: str, options: Mapping[str, str]) -> Iterator[Complaint]:
    """Of our own: what others take is theirs to know."""
    known = OF_GENERATOR.get(name, ())
    for option in sorted(options.keys() - set(OF_ALL_REPLAYED)) if known else ():
        value = options[option]
        if option not in known:
            yield Complaint(f"{where}.{option}", f"{name} takes no option '{option}'", use_instead(option, (*known, *OF_ALL_REPLAYED)))
        elif not is_taken(option, value):
            least = "" if option in ANY else ", from 1"
            yield Complaint(f"{where}.{option}", f"'{value}' is no number that it can be", f"write a whole number{least}, or leave it out")


def of_function(where: str, name: str, places: Places) -> Iterator[Complaint]:
    if places is None:
        return
    module, _, attribute = name.partition(":")
    module = module.removesuffix(".py")
    found = spec_of(module, places)
    if found is None:
        looked = f"looked in {', '.join(places)} and where Python looks"
        yield Complaint(where, f"there is no module '{module}' ({looked})", "put it beside the topology's file, or mend the name")
    elif found.origin is not None and found.origin.endswith(".py"):
        yield from in_file(where, Path(found.origin), attribute)


def spec_of(module: str, places: Sequence[str]) -> ModuleSpec | None:
    """Without importing anything: what a user's module does when it is imported is for workers."""
    first, *rest = module.split(".")
    found = PathFinder.find_spec(first, [*places, *sys.path]) or top_level(first)
    for name in rest:
        if found is None or found.submodule_search_locations is None:
            return None
        # By its last name: a name with dots would be looked up in modules that are not imported. _path: a folder without __init__
        # computes its places anew at each look, from its parent's, in the same way.
        inside = getattr(found.submodule_search_locations, "_path", found.submodule_search_locations)
        found = PathFinder.find_spec(name, list(inside))
    return found


def top_level(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name) if name else None
    except (ImportError, ValueError):
        return None


def in_file(where: str, path: Path, attribute: str) -> Iterator[Complaint]:
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except SyntaxError as error:
        yield Complaint(where, f"{path}:{error.lineno}: {error.msg}", "mend the module")
        return
    except (OSError, ValueError):
        return  # whoever imports it will say more
    names = dict.fromkeys(name for node in tree.body for name in bound(node))
    if "*" not in names and "__getattr__" not in names and attribute not in names:
        functions = [one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name in names]
        fix = use_instead(attribute, functions) if functions else "write it there, or mend the name"
        yield Complaint(where, f"{path} has no '{attribute}'", fix)


def bound(node: ast.AST) -> Iterator[str]:
    """The names that a statement of a module binds, also within its branches; * where nobody can tell."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
            return
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (one.asname or one.name.partition(".")[0] for one in names)
        case ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.Call(func=ast.Name(id="globals" | "exec")):
            yield "*"
        case _:
            pass
    for child in ast.iter_child_nodes(node):
        yield from bound(child)


def places_for(resource: Resource, beside: Path) -> Places:
    """Whose store is a folder of this machine runs here. Of others the code may be in an image."""
    return places_of(beside) if resource.spec.store.uri.startswith("file:") else None


def places_of(beside: Path | None) -> tuple[str, ...]:
    """In the order of the workers: beside the topology, where the user is, and what PYTHONPATH says."""
    told = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return tuple(dict.fromkeys(filter(None, [str(beside) if beside else "", str(Path.cwd()), *told])))
