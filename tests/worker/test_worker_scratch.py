"""Nothing stays in /tmp, nor in memory, of a worker that is gone, however it went."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from levee_spark.spark import scratch

MAKES_ONE = "import sys, time; from pathlib import Path; from levee_spark.spark import scratch; scratch.MEMORY = Path(sys.argv[1]); "
SPARK = """
import sys, tempfile
from pathlib import Path
from pyspark.sql.functions import udf
from levee_spark.spark import scratch
from levee_spark.spark.session import open_session
from levee_spark.spark.settings import Size
place = Path(sys.argv[1])
with scratch.scratch(place) as own:
    session, jvm = open_session(Size(), {}, place / "spark.log", scratch=own)
    frame = session.range(100).select(udf(lambda n: n + 1, "long")("id").alias("key")).groupBy("key").count()
    assert frame.count() == 100
    query = session.readStream.name("rows").format("rate").load().groupBy("value").count().writeStream.outputMode("complete").format("noop")
    query = query.option("checkpointLocation", str(place / "state")).trigger(once=True).start()
    query.awaitTermination()
    mapped = {line.split()[-1] for line in Path(f"/proc/{jvm.process.pid}/maps").read_text().splitlines() if "/" in line}
    print(*sorted(one for one in mapped if one.startswith(tempfile.gettempdir() + "/lib") or "rocksdb" in one))
    print(*sorted(one.name for one in own.files.iterdir()))
    print(len(list(own.sockets.glob(".*.sock"))))
    jvm.process.kill()
    jvm.process.wait()
"""


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "shm"
    place.mkdir()
    monkeypatch.setattr(scratch, "MEMORY", place)
    return place


def test_a_jvm_puts_its_temporary_files_where_they_go_with_their_worker(tmp_path: Path) -> None:
    place = tmp_path / "w"
    place.mkdir()
    ended = subprocess.run([sys.executable, "-c", SPARK, str(place)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    libraries, files, sockets = ended.stdout.splitlines()[-3:]
    assert libraries
    assert all(one.startswith(str(place)) for one in libraries.split())
    assert "blockmgr" in files
    assert int(sockets) > 0
    assert not (place / "tmp").exists()


def test_what_a_killed_process_had_in_memory_is_removed_by_the_next(memory: Path) -> None:
    words = [sys.executable, "-c", MAKES_ONE + "print(scratch.in_memory(Path()), flush=True); time.sleep(60)", str(memory)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        made = Path(process.stdout.readline().strip())
        mine = scratch.in_memory(Path())
        assert made.is_dir()  # it lives
        process.kill()
        process.wait()
    scratch.sweep()
    assert list(memory.iterdir()) == [mine]


def test_another_process_of_the_same_number_does_not_keep_it(memory: Path) -> None:
    reused, earlier, dead = (memory / f"levee-{name}" for name in (f"{os.getpid()}-1-abc", f"{os.getpid()}", f"{2**22 + 1}"))
    for one in (reused, earlier, dead):
        one.mkdir()
    scratch.sweep()
    assert list(memory.iterdir()) == [earlier]  # without the time of its start it may be his


def test_what_another_container_uses_and_what_is_not_ours_stays(memory: Path) -> None:
    other, foreign = memory / f"levee-{2**22 + 1}-5-x", memory / "levee-of-somebody"
    for one in (other, foreign):
        one.mkdir()
    with (other / scratch.LOCK).open("w") as lock:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
        scratch.sweep()
        assert sorted(memory.iterdir()) == [other, foreign]
    scratch.sweep()
    assert list(memory.iterdir()) == [foreign]


def test_sockets_lie_where_their_paths_are_short_enough(tmp_path: Path) -> None:
    deep = tmp_path / ("very-long-" * 9)
    with scratch.scratch(deep) as own:
        assert own.files.is_relative_to(deep)
        assert scratch.fits(own.sockets)
        sockets = own.sockets
    assert not sockets.exists()
    assert scratch.make(deep, tmp_path).sockets == tmp_path if scratch.fits(tmp_path) else True


def test_a_folder_with_a_comma_is_one(tmp_path: Path) -> None:
    with scratch.scratch(tmp_path / "a,b") as own:
        assert "," not in own.settings()["spark.local.dir"]
