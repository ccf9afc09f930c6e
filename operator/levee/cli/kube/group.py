"""The commands of `kubectl levee`, and the flags that say which cluster and which namespace is meant.

Why: the flags may stand before or after the command, as with kubectl itself.
Called by: cli.kube.main.
"""

import importlib

import click

from levee import __version__
from levee.cli.kube.place import place_options
from levee.cli.shared import provided

COMMANDS = {
    "events": ("levee.cli.kube.events", "Show what happened to a topology and to its pods."),
    "plan": ("levee.cli.kube.plan", "Show the plan that a topology would get on the nodes that the cluster has now."),
    "profile": ("levee.cli.kube.profile", "Measure rates, selectivity and cost of a topology."),
    "restart": ("levee.cli.kube.wishes", "Start all pods of a topology anew; submit a failed one again."),
    "resume": ("levee.cli.kube.wishes", "Let a suspended topology go on."),
    "status": ("levee.cli.kube.status", "Show who does what in a topology."),
    "suspend": ("levee.cli.kube.wishes", "Bring a topology to one last epoch and end its pods."),
    "tail": ("levee.cli.kube.tail", "Print the committed rows of a stream."),
}


class LazyCommands(click.Group):
    """A command is imported when it is called: help must not wait for the client of Kubernetes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*COMMANDS, *provided.told(provided.KUBECTL)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return provided.load("kubectl levee", provided.KUBECTL, cmd_name)
        command = getattr(importlib.import_module(COMMANDS[cmd_name][0]), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            told = provided.told(provided.KUBECTL) | {name: says for name, (_, says) in COMMANDS.items()}
            formatter.write_dl(sorted(told.items()))


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@place_options
@click.version_option(__version__, message="%(prog)s %(version)s")
def kube(**_: str | None) -> None:
    """Streaming topologies on a cluster: who does what, which rows there are, what happened.

    What kubectl can do by itself is left to it: kubectl get ftt, describe, apply, delete, wait.
    """
