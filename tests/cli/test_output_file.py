"""Files that are written whole or not at all."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from levee.cli.shared.output_file import write_whole
from tests.cli.stage import PIPELINE, ROOT, levee, process

LEVEE = f"exec {sys.executable} -c 'from levee.cli.main import main; main()'"


def shell(line: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["/bin/bash", "-c", line], cwd=ROOT, capture_output=True, check=False, timeout=60)


def test_what_was_there_keeps_its_mode_and_nothing_else_is_left(tmp_path: Path) -> None:
    file = tmp_path / "plan.txt"
    file.write_text("before")
    file.chmod(0o640)
    write_whole(file, b"after")
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("after", 0o640)
    assert [*tmp_path.iterdir()] == [file]


def test_a_new_file_has_the_mode_that_the_user_wants(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "plan.txt", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "plan.txt").stat().st_mode) == 0o640


def test_a_reader_that_has_the_file_open_sees_the_whole_of_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "plan.txt"
    file.write_text("before")
    with file.open() as reader:
        write_whole(file, b"after")
        assert reader.read() == "before"


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("before")
    link = tmp_path / "link"
    link.symlink_to("real")
    write_whole(link, b"after")
    assert link.is_symlink() and (tmp_path / "real").read_text() == "after"


@pytest.mark.parametrize("command", ["plan -f {pipeline} -o json --output-file {file}", "crds --output {folder}"])
def test_a_disk_that_is_full_costs_nothing_that_was_there(command: str, tmp_path: Path) -> None:
    """The largest size that a file may have stands in for the disk."""
    file = tmp_path / ("ftt.json" if command.startswith("plan") else "faulttoleranttopologies.levee.dev.yaml")
    if command.startswith("crds"):
        assert levee_crds(tmp_path)
    file.write_text("before")
    there = sorted(tmp_path.iterdir())
    ended = shell(f"ulimit -f 1; {LEVEE} {command.format(pipeline=PIPELINE, file=file, folder=tmp_path)}")
    assert ended.returncode == 1
    assert b"File too large" in ended.stderr and b"make room" in ended.stderr and b"in a folder that exists" not in ended.stderr
    assert file.read_text() == "before"
    assert sorted(tmp_path.iterdir()) == there


def levee_crds(folder: Path) -> bool:
    return process("crds", "--output", str(folder)).code == 0


def test_a_stream_is_written_to_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "all.txt"
    ended = shell(f"echo before > {file}; {LEVEE} plan -f {PIPELINE} -q --output-file /dev/stdout >> {file}")
    assert ended.returncode == 0
    assert file.read_text().startswith("before\nPlan for pipeline")
    piped = shell(f"mkfifo {tmp_path}/pipe; cat {tmp_path}/pipe & {LEVEE} plan -f {PIPELINE} -q --output-file {tmp_path}/pipe")
    assert piped.stdout.startswith(b"Plan for pipeline")


def test_a_folder_is_no_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ended = levee(capsys, "plan", "-f", PIPELINE, "--output-file", str(tmp_path))
    assert ended.code == 1
    assert "Is a directory" in ended.err and "name a file, not a folder" in ended.err
