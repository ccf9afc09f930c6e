"""An S3 server with one bucket.

Why: the epoch log stands on put-if-absent, which S3 servers have to be asked for to be believed.
Called by: stack, and tests that kill their own server.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from servers.install import installed
from servers.ports import HOST, answers_ok, start_on_free_ports
from servers.process import Launch, Server, new_folder

BUCKET = "levee"
ACCESS_KEY, SECRET_KEY = "levee-tests", "only-on-loopback"  # of a server that nobody else reaches
KINDS = ("versitygw", "minio")


@dataclass(frozen=True, slots=True)
class S3:
    """What a client needs; as JSON it is the value of LEVEE_TEST_S3."""

    uri: str
    endpoint: str
    access_key: str
    secret_key: str

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls(**json.loads(text))

    def to_json(self) -> str:
        return json.dumps(asdict(self))


@contextmanager
def s3_server(kind: str = "versitygw") -> Iterator[tuple[S3, Server]]:
    program = installed(kind)
    make = {"versitygw": versitygw, "minio": minio}[kind]
    server, (port,) = start_on_free_ports(1, lambda ports: make(program, ports[0]))
    try:
        yield S3(f"s3://{BUCKET}", f"http://{HOST}:{port}", ACCESS_KEY, SECRET_KEY), server
    finally:
        server.close()


def versitygw(program: Path, port: int) -> Server:
    folder = folder_with_bucket("s3")
    command: list[str | Path] = [program, "--port", f"{HOST}:{port}", "--health", "/health", "--quiet", "posix", folder / "buckets"]
    extra = {"ROOT_ACCESS_KEY": ACCESS_KEY, "ROOT_SECRET_KEY": SECRET_KEY}
    return Server(Launch("versitygw", command, lambda: answers_ok(port, "/health"), extra), folder)


def minio(program: Path, port: int) -> Server:
    folder = folder_with_bucket("minio")
    command: list[str | Path] = [program, "server", "--quiet", "--address", f"{HOST}:{port}", folder / "buckets"]
    extra = {"MINIO_ROOT_USER": ACCESS_KEY, "MINIO_ROOT_PASSWORD": SECRET_KEY, "MINIO_BROWSER": "off", "MINIO_UPDATE": "off"}
    return Server(Launch("minio", command, lambda: answers_ok(port, "/minio/health/ready"), extra), folder)


def folder_with_bucket(name: str) -> Path:
    """To both servers a folder is a bucket, so that no client is needed to make one."""
    folder = new_folder(name)
    (folder / "buckets" / BUCKET).mkdir(parents=True)
    return folder
