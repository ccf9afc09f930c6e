"""Which Java there is: told by its folder where it can be, since asking it costs a JVM's start."""

from pathlib import Path

from levee_spark.spark import java


def program(folder: Path, says: str) -> Path:
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(0o755)
    return path


def test_a_java_is_not_started_where_its_folder_tells_the_version(tmp_path: Path) -> None:
    found = program(tmp_path, "exit 1")
    (tmp_path / "release").write_text('IMPLEMENTOR="x"\nJAVA_VERSION="21.0.4"\n')
    assert java.version_of(found) == 21


def test_a_java_is_asked_where_nothing_tells(tmp_path: Path) -> None:
    assert java.version_of(program(tmp_path, """echo 'openjdk version "17.0.1" 2021-10-19' >&2""")) == 17


def test_a_java_that_cannot_be_run_is_none_whatever_its_folder_tells(tmp_path: Path) -> None:
    found = program(tmp_path, "exit 0")
    (tmp_path / "release").write_text('JAVA_VERSION="21"\n')
    found.chmod(0o644)
    assert java.version_of(found) is None
