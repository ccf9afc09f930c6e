"""A store that cannot be used is refused at once, with what is wrong, where, and what to do."""

import errno
import os
from pathlib import Path

import pytest

from levee_spark.store import address
from levee_spark.store.address import CannotOpen, open_store, remedy
from levee_spark.store.blobs import Trouble
from levee_spark.store.local import LocalBlobs
from levee_spark.store.remote import RemoteBlobs

NOBODY = {"AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing", "AWS_REGION": "us-east-1"}


def refused(uri: str, **given: object) -> str:
    with pytest.raises(CannotOpen) as caught:
        open_store(uri, **given)  # type: ignore[arg-type]
    assert caught.value.complaint.where.strip("'") == uri and caught.value.complaint.fix
    return str(caught.value)


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("/var/lib/levee", "is no address of a store"),
        ("", "is no address of a store"),
        ("ftp://host/dir", "ftp:// is no kind of store"),
        ("file://var/lib", "write file:///var/lib with three slashes"),
        ("s3://", "write s3://bucket/prefix"),
        ("s3:///prefix", "names no bucket"),
    ],
)
def test_an_address_that_cannot_be_one_is_answered_with_one_that_can(uri: str, words: str) -> None:
    assert words in refused(uri)


def test_a_directory_is_made_with_all_that_lies_above_it(tmp_path: Path) -> None:
    blobs = open_store((tmp_path / "a b" / "c").as_uri())
    assert isinstance(blobs, LocalBlobs) and blobs.root == tmp_path / "a b" / "c" and blobs.durable


def test_an_address_can_say_that_the_directory_need_not_outlive_the_machine(tmp_path: Path) -> None:
    blobs = open_store(tmp_path.as_uri() + "?durable=false")
    assert isinstance(blobs, LocalBlobs) and blobs.root == tmp_path and not blobs.durable


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be used" in refused((tmp_path / "file" / "store").as_uri())


def test_a_directory_without_rights_is_refused_with_the_user(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    place = tmp_path if os.geteuid() else Path("/sys")  # where root may not write either
    assert f"id {os.getuid()}" in refused((place / "store").as_uri())


def test_who_only_reads_leaves_a_directory_as_it_is_and_makes_none(tmp_path: Path) -> None:
    """It may be full, or read-only."""
    blobs = open_store(tmp_path.as_uri(), writes=False)
    assert isinstance(blobs, LocalBlobs) and list(tmp_path.iterdir()) == []
    assert "there is no such directory" in refused((tmp_path / "none").as_uri(), writes=False)
    assert not (tmp_path / "none").exists()


def test_a_setting_that_does_not_exist_is_named() -> None:
    assert "aws_acces_key" in refused("s3://bucket/prefix", secret={"AWS_ACCES_KEY": "x"})


def test_a_server_that_is_not_there_is_named() -> None:
    text = refused("s3://bucket/prefix", secret=NOBODY | {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"})
    assert "127.0.0.1:9" in text and "start the server, or mend the endpoint" in text


def test_a_secret_is_not_repeated_in_a_complaint() -> None:
    assert "nothing" not in refused("s3://bucket/prefix", secret=NOBODY | {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"})


def test_all_kinds_of_buckets_are_opened_by_the_same_code() -> None:
    azure = {"AZURE_STORAGE_ACCOUNT_NAME": "account", "AZURE_STORAGE_ACCOUNT_KEY": "a2V5"}
    for uri, secret in (("s3://bucket/prefix", NOBODY), ("az://container/prefix", azure)):
        assert isinstance(open_store(uri, secret=secret, check=False), RemoteBlobs)


def test_what_is_wrong_with_a_folder_is_one_sentence_and_its_remedy_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(address, "make_folder", refuses)
    with pytest.raises(CannotOpen) as refused:
        open_store(tmp_path.as_uri())
    complaint = refused.value.complaint
    assert not complaint.wrong.endswith(".")
    assert not complaint.fix.startswith("or ")


def test_a_folder_that_is_gone_is_not_made_by_a_worker(tmp_path: Path) -> None:
    with pytest.raises(CannotOpen, match="the directory is gone"):
        open_store((tmp_path / "store").as_uri(), make=False)
    assert not (tmp_path / "store").exists()


def test_a_folder_that_goes_in_the_midst_of_a_write_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = open_store((tmp_path / "store").as_uri())

    def goes(*_: Path) -> None:
        if (tmp_path / "store").exists():
            (tmp_path / "store").rename(tmp_path / "away")
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    monkeypatch.setattr(os, "link", goes)
    with pytest.raises(Trouble):
        blobs.create("topology/epoch", b"rows")
    assert not (tmp_path / "store").exists()


def test_digits_of_a_signature_are_no_answer() -> None:
    said = "SignatureDoesNotMatch: <StringToSign>9f404be</StringToSign>"
    assert "mend the access key" in remedy(said)
    assert remedy("<HostId>404y</HostId>") == "mend that, or name another store"
    assert "create the bucket" in remedy("server returned 404 Not Found")
