"""`levee fx`: a FaultExperiment outside of a cluster.

Why: what the operator has a Job run is a document of Chaos Toolkit; here it is for whoever wants to see or to run it.
Called by: cli.main_command.
"""

from collections.abc import Sequence

import click
import yaml

from levee.cli.shared.files import load_all, told
from levee.experiments.load import judged
from levee.experiments.rendering import document
from levee.experiments.spec import KIND, Experiment
from levee.plans.ending import Refused


@click.group(short_help="Show a FaultExperiment as the document that Chaos Toolkit runs.")
def fx() -> None:
    """FaultExperiments outside of a cluster. `levee validate` checks them."""


@fx.command()
@click.option("-f", "--file", "files", multiple=True, required=True, metavar="FILE", help="A file, a directory, or - for what is piped in.")
@click.option("--on-cluster", is_flag=True, help="For the topology of its namespace on the kubeconfig's cluster. Without: for levee run.")
@click.option("--helpers", metavar="NAMESPACE", multiple=True, help="Where privileged pods may be made, too. May be repeated.")
def render(files: Sequence[str], on_cluster: bool, helpers: Sequence[str]) -> None:
    """Print each FaultExperiment as an experiment of Chaos Toolkit.

    levee fx render -f crash.yaml > experiment.yaml; chaos run --var directory=.levee/clicks experiment.yaml
    """
    loaded = load_all(files, others={KIND: judged})
    if wrong := [one for one in loaded if one.complaints]:
        raise Refused("\n".join(map(told, wrong)))
    found = [one.other for one in loaded if isinstance(one.other, Experiment)]
    if not found:
        raise Refused(f"There is no {KIND} in {', '.join(files)}.")
    rendered = [document(one, (one.metadata.namespace, *helpers) if on_cluster else ()) for one in found]
    click.echo(yaml.safe_dump_all(rendered, sort_keys=False, width=140, allow_unicode=True), nl=False)
