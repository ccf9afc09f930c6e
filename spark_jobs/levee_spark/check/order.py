"""What one pass is told.

Called by: running (writes), passing (reads).
"""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class PassOrder:
    resource: Path
    beside: Path  # where the user's files are
    folder: Path  # for what is computed and found
    epochs: int
    sample: Path | None = None
    given: Path | None = None  # the folder of the first pass: this is the second

    def write(self) -> Path:
        self.folder.mkdir(parents=True)
        path = self.folder / "pass.json"
        told = {"resource": self.resource, "beside": self.beside, "folder": self.folder, "sample": self.sample, "given": self.given}
        path.write_text(json.dumps({"epochs": self.epochs, **{name: str(value) for name, value in told.items() if value is not None}}))
        return path

    @property
    def at(self) -> Path:
        """Which function runs now: whoever ends the process cannot say so."""
        return self.folder / "at"

    @property
    def findings(self) -> Path:
        return self.folder / "findings.json"

    @classmethod
    def read(cls, path: Path) -> "PassOrder":
        told = json.loads(path.read_text())
        return cls(epochs=told.pop("epochs"), **{name: Path(value) for name, value in told.items()})
