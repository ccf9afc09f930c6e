"""A published checkpoint is a lane's folder, packed: what is unpacked is what was packed, and lies in the folder."""

import io
import tarfile
from pathlib import Path

import pytest

from levee_spark.lane.folder import Folder


def test_what_is_unpacked_is_what_was_packed(tmp_path: Path) -> None:
    one = Folder(tmp_path / "one")
    files = {"metadata": '{"id": "q"}', "commits/7": "v1", "offsets/7": "v1\n{}", "state/0/0/7.delta": "rows"}
    for name, text in files.items():
        (one.path / name).parent.mkdir(parents=True, exist_ok=True)
        (one.path / name).write_text(text, encoding="utf-8")
    other = Folder(tmp_path / "other")
    other.unpack(one.pack(7))
    found = {str(file.relative_to(other.path)): file.read_text(encoding="utf-8") for file in other.path.rglob("*") if file.is_file()}
    assert found.keys() == files.keys()
    assert {name: text for name, text in found.items() if name != "metadata"} == {k: v for k, v in files.items() if k != "metadata"}


def test_a_python_that_has_no_filters_for_archives_unpacks_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Debian's, which is in the image."""
    monkeypatch.setattr(tarfile.TarFile, "extractall", None)
    test_what_is_unpacked_is_what_was_packed(tmp_path)


def test_a_file_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("../outside"))
    with pytest.raises(AssertionError):
        Folder(tmp_path / "one").unpack(data.getvalue())
    assert not (tmp_path / "outside").exists()
