"""Images: what is in them, that they depend on it alone, and that both ways to build them agree."""

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from images import archive, debian, distributions, pin, starts
from images.archive import Image
from images.contents import ROOT, read_contents
from images.layers import Layer, put_python, source_digest, sources
from images.tree import Tree
from servers.trouble import ServerTrouble


def layer(folder: Path, name: str) -> Layer:
    path = folder / f"{name}.tar"
    with Tree(path) as tree:
        tree.file(f"a/{name}", name.encode())
    return Layer(path, hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size)


def image(layers: tuple[Layer, ...]) -> Image:
    return Image("localhost/levee/x:dev", layers, 10001, {"A": "b"}, ("/x",))


def written(images: list[Image], present: frozenset[str] = frozenset()) -> dict[str, bytes]:
    out = io.BytesIO()
    archive.write(images, out, present=present)
    with tarfile.open(fileobj=io.BytesIO(out.getvalue())) as tar:
        return {name: found.read() for name in tar.getnames() if (found := tar.extractfile(name))}


def test_a_layer_of_the_same_content_has_the_same_bytes_and_is_roots(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    assert layer(tmp_path / "1", "x").digest == layer(tmp_path / "2", "x").digest
    with tarfile.open(layer(tmp_path, "x").tar) as tar:
        assert [(found.name, found.uid, found.mode) for found in tar] == [("a", 0, 0o755), ("a/x", 0, 0o644)]


def test_an_archive_leads_from_its_index_to_every_layer(tmp_path: Path) -> None:
    blobs = written([image((layer(tmp_path, "x"), layer(tmp_path, "y")))])
    (row,) = json.loads(blobs["index.json"])["manifests"]
    manifest = json.loads(blobs[archive.path_of(row["digest"])])
    config = json.loads(blobs[archive.path_of(manifest["config"]["digest"])])
    assert [part["digest"] for part in manifest["layers"]] == config["rootfs"]["diff_ids"]
    assert config["config"]["User"] == "10001:10001"
    for part in manifest["layers"]:
        assert hashlib.sha256(blobs[archive.path_of(part["digest"])]).hexdigest() == part["digest"].removeprefix("sha256:")


def test_a_layer_that_two_images_share_is_sent_once_and_one_that_is_there_not_at_all(tmp_path: Path) -> None:
    shared, other = layer(tmp_path, "x"), layer(tmp_path, "y")
    names = written([image((shared,)), image((shared, other))], frozenset({other.digest}))
    assert archive.path_of(shared.digest) in names
    assert archive.path_of(other.digest) not in names


def deb(path: Path, files: dict[str, bytes]) -> Path:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:xz") as tar:
        for name, content in files.items():
            found = tarfile.TarInfo(name)
            found.size = len(content)
            tar.addfile(found, io.BytesIO(content))
    members = (("debian-binary", b"2.0\n"), ("control.tar.xz", b"odd"), ("data.tar.xz", data.getvalue()))
    text = b"".join(
        f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(body):<10}`\n".encode() + body + b"\n" * (len(body) % 2) for name, body in members
    )
    path.write_bytes(b"!<arch>\n" + text)
    return path


def test_a_package_is_unpacked_into_a_merged_file_system_without_its_manuals(tmp_path: Path) -> None:
    made = deb(tmp_path / "x.deb", {"./bin/x": b"1", "./usr/share/man/x": b"2", "./usr/share/doc/x/copyright": b"3"})
    assert {found.name: content for found, content in debian.files_of(made)} == {"usr/bin/x": b"1", "usr/share/doc/x/copyright": b"3"}


def test_what_is_no_package_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.deb").write_bytes(b"<html>")
    with pytest.raises(ServerTrouble, match=r"x\.deb is no Debian package"):
        list(debian.files_of(tmp_path / "x.deb"))


def test_a_package_of_another_checksum_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mirror" / "pool").mkdir(parents=True)
    (tmp_path / "mirror" / "pool" / "x_1_all.deb").write_bytes(b"other")
    monkeypatch.setenv("LEVEE_DEBIAN_MIRROR", (tmp_path / "mirror").as_uri())
    monkeypatch.setattr(debian, "SNAPSHOTS", (tmp_path / "nowhere").as_uri())
    with pytest.raises(ServerTrouble, match="another checksum"):
        debian.fetch_one(debian.Package("0" * 64, "pool/x_1_all.deb"), "day", tmp_path)
    assert not (tmp_path / "x_1_all.deb").exists()


def test_what_apt_prints_becomes_lines_of_the_lock() -> None:
    printed = "'http://host/debian/pool/main/r/runc/runc_1.1.5%2bds1-1_amd64.deb' runc_1.1.5%2bds1-1_amd64.deb 270 SHA256:ab12\n"
    assert pin.lock_lines(printed) == ["ab12 debian/pool/main/r/runc/runc_1.1.5+ds1-1_amd64.deb"]


def test_every_package_of_an_image_is_locked() -> None:
    for wanted in read_contents().layers.values():
        assert len(debian.read_lock().chosen(wanted.debian)) == len(wanted.debian)


def test_a_package_that_is_not_locked_is_named() -> None:
    with pytest.raises(ServerTrouble, match="does not hold leftpad"):
        debian.read_lock().chosen(["leftpad"])


def test_a_distribution_comes_with_what_it_needs_and_without_what_is_below() -> None:
    names = [found.name for found in distributions.closure(["pandas"], ["numpy"])]
    assert "python-dateutil" in names
    assert "numpy" not in names


def test_a_distribution_that_looks_for_its_own_files_finds_those_that_are_there(tmp_path: Path) -> None:
    """rtree finds its library by the list of its files."""
    wanted = read_contents().layers["orchestration"]
    with Tree(tmp_path / "rtree.tar") as tree:
        put_python(tree, wanted, [distributions.installed("rtree")])
    with tarfile.open(tmp_path / "rtree.tar") as tar:
        tar.extractall(tmp_path, filter="data")
    there = tmp_path / distributions.TARGET
    code = f"import sys; sys.path.insert(0, {str(there)!r}); from rtree import index; index.Index(); print(index.__file__)"
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert (ran.stdout.strip(), ran.returncode) == (str(there / "rtree" / "index.py"), 0), ran.stderr
    listed = [line.partition(",")[0] for line in next(there.glob("rtree-*/RECORD")).read_text(encoding="utf-8").splitlines()]
    assert [name for name in listed if not (there / name).exists()] == []
    assert not any("include" in name for name in listed)


def test_only_layers_that_every_image_has_below_count_as_below() -> None:
    contents = read_contents()
    assert [found.name for found in contents.below("spark")] == ["system", "common", "java"]
    assert [found.name for found in contents.below("levee")] == ["system", "common"]


def test_the_dockerfile_says_of_user_environment_and_command_what_the_contents_say() -> None:
    contents = read_contents()
    text = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")
    for name, wanted in contents.images.items():
        stage = text.split(f"FROM scratch AS {name}\n")[1].split("FROM")[0]
        assert f"USER {contents.user}:{contents.user}\n" in stage
        assert f"ENTRYPOINT {json.dumps(list(wanted.entrypoint))}\n" in stage
        assert "ENV " + " ".join(f"{key}={value}" for key, value in contents.environment.items()) + "\n" in stage


def test_what_a_pod_took_to_start_is_told_from_its_creation_on() -> None:
    running = [{"state": {"running": {"startedAt": "2026-11-18T22:00:03Z"}}}]
    pod = {"metadata": {"creationTimestamp": "2026-11-18T22:00:01Z"}, "status": {"containerStatuses": running}}
    events = [("started", "04.500"), ("warm", "09"), ("first epoch", "11.250"), ("first epoch", "30")]
    lines = [json.dumps({"time": f"2026-11-18T22:00:{at}+00:00", "event": event}) for event, at in events]
    found = starts.stages(pod, ["no event", *lines])
    assert found == {"container": 2, "started": 3.5, "warm": 8, "first epoch": 10.25}
    assert starts.shown(found) == ["2.0", "3.5", "8.0", "", "10.2"]  # a source is never warm, and this one not ready yet


def test_the_code_of_another_checkout_has_the_same_names_and_makes_another_layer(tmp_path: Path) -> None:
    folders = [ROOT / "operator" / "levee" / "lifecycle"]
    shutil.copytree(folders[0], tmp_path / "lifecycle", ignore=shutil.ignore_patterns("__pycache__"))
    others = [tmp_path / "lifecycle"]
    assert [name for name, _ in sources(others)] == [name for name, _ in sources(folders)]
    assert source_digest(others) == source_digest(folders)
    (tmp_path / "lifecycle" / "more.py").touch()
    assert source_digest(others) != source_digest(folders)
