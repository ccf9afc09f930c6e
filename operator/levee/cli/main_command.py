"""The `levee` command: finds the subcommand, and turns every way it can end into a message and an exit code.

Why: a user's mistake must never show a traceback, whichever module notices it; and `levee -h` must not wait for numpy.
Called by: cli.main; cli.kube.main, with a group of its own.
"""

import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from levee import __version__
from levee.cli.shared import provided
from levee.cli.shared.pipes import close_quietly
from levee.plans.ending import Exit, InternalFault, Refused, did_you_mean

COMMANDS = {  # name -> where its click command is, and its line in the help
    "check": ("levee.cli.commands.check", "check", "Run every function twice and say where the two differ."),
    "crds": ("levee.cli.commands.crds", "crds", "Write the CustomResourceDefinitions."),
    "demo": ("levee.cli.commands.demo", "demo", "Kill a primary and a node under a running topology, and show that nothing was lost."),
    "fit": ("levee.cli.commands.fit", "fit", "Try faults at exact moments of the lifecycle."),
    "fx": ("levee.cli.commands.fx", "fx", "Show a FaultExperiment as the document that Chaos Toolkit runs."),
    "kill": ("levee.cli.commands.kill", "kill", "Kill a replica or a node of a local run."),
    "lifecycle": ("levee.cli.commands.lifecycle", "lifecycle", "Draw the states that a topology passes."),
    "page": ("levee.cli.commands.page", "page", "Write the page of a local run into a file that shows it without a server."),
    "pause": ("levee.cli.commands.kill", "pause", "Pause a replica or a node of a local run for a while."),
    "plan": ("levee.cli.commands.plan", "plan", "Work out which replicas to keep active, what that guarantees and costs."),
    "profile": ("levee.cli.commands.profile", "profile", "Measure rates, selectivity and cost of a topology that runs or has run."),
    "revive": ("levee.cli.commands.revive", "revive", "Bring back a node of a local run that was killed."),
    "run": ("levee.cli.commands.run", "run", "Run a topology on this machine, with the replicas that its plan asks for."),
    "simulate": ("levee.cli.commands.simulate", "simulate", "Play a trace and faults to a planned topology, and show what would happen."),
    "status": ("levee.cli.commands.status", "status", "Show who does what in a local run."),
    "stop": ("levee.cli.commands.stop", "stop", "End a local run after an epoch that all of its tasks have done."),
    "tail": ("levee.cli.commands.tail", "tail", "Print the committed rows of a stream."),
    "validate": ("levee.cli.commands.validate", "validate", "Check topologies and experiments and name every mistake at once."),
}


class LazyGroup(click.Group):
    """A group that imports a subcommand when it is called, and writes its own help without importing any."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*COMMANDS, *provided.told(provided.LEVEE)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return provided.load("levee", provided.LEVEE, cmd_name)
        module, attribute, _ = COMMANDS[cmd_name]
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS and args[0] not in (known := self.list_commands(ctx)):
            ctx.fail(f"There is no command '{args[0]}'. {did_you_mean(args[0], known)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            told = provided.told(provided.LEVEE) | {name: says for name, (_, _, says) in COMMANDS.items()}
            formatter.write_dl(sorted(told.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def levee() -> None:
    """Streaming topologies with exactly as much fault tolerance as they need."""


def run(args: Sequence[str] | None = None, obj: object = None, *, group: click.Group = levee, name: str = "levee") -> int:
    """Run one command and say how it ended; `obj` reaches the commands as the click context's object."""
    if sys.stderr is None:  # It was closed (`2>&-`): nobody wants to hear.
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    try:
        if sys.stdout is None:  # It was closed (`>&-`).
            raise OSError(errno.EBADF, "standard output is closed")
        return _run(args, obj, group, name)
    except OSError as problem:
        return _stuck(problem)


def _stuck(problem: OSError) -> int:
    """The system does not take what is written, or does not give what is read."""
    try:
        click.echo(f"levee: stopped by the system: {problem.strerror or problem}.", err=True)
    except OSError:
        close_quietly(sys.stderr)
    if sys.stdout is not None:
        close_quietly(sys.stdout)
    return Exit.REFUSED


def _run(args: Sequence[str] | None, obj: object, group: click.Group, name: str) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # A terminal that cannot show a character must not end the command.
    try:
        ended = group.main(None if args is None else list(args), prog_name=name, standalone_mode=False, obj=obj)
        sys.stdout.flush()
        return ended if isinstance(ended, int) else Exit.OK  # click returns the code of ctx.exit() here instead of raising it
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.ClickException as mistake:
        mistake.show()
        return Exit.USAGE
    except Refused as refused:
        click.echo(refused.text, err=True)
        return refused.code
    except (KeyboardInterrupt, click.Abort):
        click.echo("levee: interrupted, nothing was found yet.", err=True)
        return Exit.INTERRUPTED
    except BrokenPipeError:  # The reader has seen enough (`| head`).
        close_quietly(sys.stdout)
        return Exit.PIPE
    except Exception as fault:
        if isinstance(fault, OSError) or os.environ.get("LEVEE_DEBUG"):
            raise
        click.echo(InternalFault.explain(fault), err=True)
        return Exit.INTERNAL
