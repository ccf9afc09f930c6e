"""The embedded store's volume, before the gateway sees it."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import chart_values


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("prepare_store", chart_values.CHART / "files" / "prepare_store.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def able(script: ModuleType, tmp_path: Path) -> None:
    try:
        script.change_flags(tmp_path, script.CONTENT)
    except OSError:
        pytest.skip("the file system of temporary files has no synchronous files")


def test_the_bucket_is_made_once_and_kept(script: ModuleType, tmp_path: Path) -> None:
    top = tmp_path / "buckets"
    assert script.main(top, "levee", "as-mounted") == 0
    (top / "levee" / "object").write_text("kept")
    assert script.main(top, "levee", "as-mounted") == 0
    assert (top / "levee" / "object").read_text() == "kept"


@pytest.mark.usefixtures("able")
def test_whatever_is_made_in_the_bucket_is_written_at_once(script: ModuleType, tmp_path: Path) -> None:
    assert script.main(tmp_path / "buckets", "levee", "sync") == 0
    folder = tmp_path / "buckets" / "levee" / "prefix"
    folder.mkdir()
    (folder / "object").write_text("new")
    assert script.is_synchronous(folder)
    assert script.change_flags(folder / "object", 0) & script.CONTENT


@pytest.mark.usefixtures("able")
def test_what_was_there_before_is_written_at_once_from_now_on(script: ModuleType, tmp_path: Path) -> None:
    top = tmp_path / "buckets"
    script.main(top, "levee", "as-mounted")
    (top / "levee" / "object").write_text("old")
    assert script.main(top, "levee", "sync") == 0
    assert script.is_synchronous(top / "levee")
    assert script.change_flags(top / "levee" / "object", 0) & script.CONTENT


def test_a_volume_that_cannot_do_it_is_refused_with_a_remedy(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unable(*_: object) -> bytes:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(script.fcntl, "ioctl", unable)
    assert script.main(tmp_path, "levee", "sync") == 1
    assert "store.embedded.fsync" in capsys.readouterr().err


def test_a_volume_of_somebody_else_is_refused_with_a_remedy(script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("no folder")
    assert script.main(tmp_path / "file", "levee", "sync") == 1
    assert "must belong to user" in capsys.readouterr().err
