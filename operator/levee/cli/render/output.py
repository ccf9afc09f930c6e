"""Where a plan is written to: stdout or a file, as text or as a picture.

Why: a picture must not flood a terminal, and a pipe that is closed early is no mistake.
Called by: cli.plan_run.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from levee.cli.shared.output_file import remedy, write_whole
from levee.plans.ending import Exit, Refused
from levee.topology.complaint import Complaint

PICTURES = ("svg", "png")


@dataclass(frozen=True, slots=True)
class Output:
    form: str
    file: str | None

    @property
    def is_picture(self) -> bool:
        return self.form in PICTURES

    @property
    def to_terminal(self) -> bool:
        return self.file is None and sys.stdout.isatty()

    def check(self) -> None:
        """Before the search: whether its answer will have a place."""
        if self.file is not None and not Path(self.file).parent.is_dir():
            raise self._unwritable("there is no such folder", "name a file in a folder that exists")
        if self.is_picture and self.to_terminal:
            wrong = f"a terminal cannot show {self.form}"
            fix = f"add --output-file plan.{self.form}, or write it with > plan.{self.form}"
            raise Refused("levee plan: nowhere to write to.", [Complaint("--format", wrong, fix)], Exit.USAGE)

    def write(self, content: str | bytes) -> None:
        data = content.encode() if isinstance(content, str) else content
        if self.file is not None:
            try:
                write_whole(Path(self.file), data)
            except OSError as problem:
                raise self._unwritable(problem.strerror or str(problem), remedy(problem)) from None
        elif isinstance(content, str):
            sys.stdout.write(content)
        else:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    def _unwritable(self, reason: str, fix: str) -> Refused:
        wrong = f"cannot write '{self.file}': {reason}"
        return Refused("levee plan: nowhere to write to.", [Complaint("--output-file", wrong, fix)])
