"""`levee crds`: write the CustomResourceDefinitions, or check that the written ones are current.

Why: what the cluster accepts is made from the same models as everything else, and must not be edited by hand.
Called by: cli.main; `make crds`.
"""

from pathlib import Path

import click

from levee.cli.shared.output_file import remedy, write_whole
from levee.experiments.crd import EXPERIMENT
from levee.plans.ending import Refused
from levee.topology.complaint import Complaint
from levee.topology.crd import TOPOLOGY, crd_text


@click.command(short_help="Write the CustomResourceDefinitions.")
@click.option(
    "--output", type=click.Path(file_okay=False, path_type=Path), default=Path("crds"), show_default=True, help="The folder to write into."
)
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 where a file is not current.")
def crds(output: Path, check: bool) -> None:
    """Write the CustomResourceDefinitions of FaultTolerantTopology and FaultExperiment."""
    texts = {output / f"{one.name}.yaml": crd_text(one) for one in (TOPOLOGY, EXPERIMENT)}
    for file, text in texts.items():
        if not check:
            _write(file, text)
        elif wrong := _difference(file, text):
            raise Refused("The CustomResourceDefinition is not current.", [Complaint(str(file), wrong, f"levee crds --output {output}")])
        click.echo(f"{file}: {'current' if check else 'written'}")


def _difference(file: Path, text: str) -> str:
    found = file.read_text(encoding="utf-8") if file.is_file() else None
    if found == text:
        return ""
    return "does not exist" if found is None else "differs from the models in levee.topology and levee.experiments"


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text.encode())
    except OSError as problem:
        wrong = f"cannot write '{file}': {problem.strerror or problem}"
        raise Refused("levee crds: nowhere to write to.", [Complaint("--output", wrong, remedy(problem))]) from None
