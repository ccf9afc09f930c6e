"""The class archive of a worker's JVM: used where it fits, and never needed."""

import os
from pathlib import Path

import pytest

from levee_spark.spark import archive, compiled, gateway, java


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LEVEE_CACHE", str(tmp_path))
    return tmp_path


def test_a_worker_starts_without_an_archive_where_there_is_none() -> None:
    assert archive.flags() == []


def test_a_worker_uses_the_archive_of_its_java_and_jars(cache: Path) -> None:
    compiled.folder().mkdir()
    archive.archive().touch()
    assert archive.archive().parent == cache / "java"
    assert str(archive.archive()) in archive.flags()[0]


def test_other_jars_need_another_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = archive.identity()
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark.jar").write_bytes(b"another")
    monkeypatch.setattr(gateway, "HOME", tmp_path)
    assert archive.identity() != before


def test_a_runtime_without_an_archive_of_its_own_gets_one_to_stand_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = tmp_path / "lib" / "server"
    server.mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    for file in (server / "libjvm.so", tmp_path / "bin" / "java"):
        file.touch()
    monkeypatch.setattr(java, "find", lambda: tmp_path / "bin" / "java")
    base = archive.base_of(tmp_path / "bin" / "java")
    assert base is not None and base.name.endswith("-base.jsa")
    (server / "classes.jsa").touch()
    assert archive.base_of(tmp_path / "bin" / "java") is None


def test_archives_of_environments_that_are_gone_do_not_pile_up(tmp_path: Path) -> None:
    for age in range(archive.KEPT + 3):
        file = tmp_path / f"{age}.jsa"
        file.touch()
        os.utime(file, (10_000 - age, 10_000 - age))
    archive.forget_old(tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == [f"{age}.jsa" for age in range(archive.KEPT)]
