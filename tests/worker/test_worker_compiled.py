"""The jar of Levee's own classes: made once, whole or not at all, and for one process where nothing can be kept."""

from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Thread

import pytest

from levee_spark.spark import compiled, gateway

JARS = gateway.HOME / "jars"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Where it was compiled to; the compiler itself is used by every test of lanes."""
    places: list[Path] = []

    def compile_(_: Path, place: Path) -> Path:
        places.append(place)
        jar = place / "levee.jar"
        jar.write_bytes(b"classes")
        return jar

    monkeypatch.setenv("LEVEE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(compiled, "compiled", compile_)
    compiled.own.cache_clear()
    yield places
    compiled.own.cache_clear()


def test_classes_are_compiled_once(made: list[Path]) -> None:
    assert compiled.jar(JARS) == compiled.jar(JARS)
    assert compiled.jar(JARS).read_bytes() == b"classes"
    assert len(made) == 1
    assert [file.name for file in compiled.folder().iterdir()] == [compiled.jar(JARS).name]  # nothing is left over


@pytest.mark.usefixtures("made")
def test_other_sources_are_another_jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = compiled.jar(JARS)
    (tmp_path / "Other.java").touch()
    monkeypatch.setattr(compiled, "SOURCES", tmp_path)
    assert compiled.jar(JARS) != before


@pytest.mark.usefixtures("made")
def test_a_compilation_that_is_cut_off_leaves_no_jar(monkeypatch: pytest.MonkeyPatch) -> None:
    works = compiled.compiled

    def cut_off(_: Path, place: Path) -> Path:
        (place / "levee.jar").write_bytes(b"cla")
        raise KeyboardInterrupt

    monkeypatch.setattr(compiled, "compiled", cut_off)
    with pytest.raises(KeyboardInterrupt):
        compiled.jar(JARS)
    monkeypatch.setattr(compiled, "compiled", works)
    assert compiled.jar(JARS).read_bytes() == b"classes"


def test_workers_that_start_together_all_get_a_whole_jar(made: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    works, meet = compiled.compiled, Barrier(2)

    def together(jars: Path, place: Path) -> Path:
        meet.wait(30)
        return works(jars, place)

    monkeypatch.setattr(compiled, "compiled", together)
    found: list[bytes] = []
    threads = [Thread(target=lambda: found.append(compiled.jar(JARS).read_bytes())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [b"classes"] * 2
    assert len(set(made)) == 2


@pytest.mark.usefixtures("made")
def test_a_worker_that_cannot_keep_the_jar_has_one_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "cache").touch()  # no folder can be made there
    jar = compiled.jar(JARS)
    assert jar.read_bytes() == b"classes"
    assert jar == compiled.jar(JARS)
    assert jar.parent.stat().st_mode & 0o077 == 0  # nobody else's classes get into it
