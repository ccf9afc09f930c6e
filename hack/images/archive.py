"""Write images as an archive in the format of the Open Container Initiative, which every runtime imports.

Why: layers that several images share are in it once, and what the reader has already can be left out.
Called by: build (`save`), the cluster (`load-image`).
"""

import hashlib
import io
import json
import tarfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from images.layers import Layer
from images.tree import entry

MANIFEST, INDEX = "application/vnd.oci.image.manifest.v1+json", "application/vnd.oci.image.index.v1+json"
CONFIG, TAR = "application/vnd.oci.image.config.v1+json", "application/vnd.oci.image.layer.v1.tar"
WHEN = "2026-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class Image:
    name: str  # as a registry would call it: localhost/levee/worker:dev
    layers: tuple[Layer, ...]
    user: int
    environment: Mapping[str, str]
    entrypoint: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Blob:
    kind: str
    content: bytes

    @property
    def digest(self) -> str:
        return f"sha256:{hashlib.sha256(self.content).hexdigest()}"

    def described(self) -> dict[str, Any]:
        return {"mediaType": self.kind, "digest": self.digest, "size": len(self.content)}


def config(image: Image) -> Blob:
    process = {
        "User": f"{image.user}:{image.user}",
        "Env": [f"{name}={value}" for name, value in {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin", **image.environment}.items()],
        "Entrypoint": list(image.entrypoint),
        "WorkingDir": "/",
    }
    layers = {"type": "layers", "diff_ids": [layer.digest for layer in image.layers]}
    return blob(CONFIG, {"architecture": "amd64", "os": "linux", "created": WHEN, "config": process, "rootfs": layers})


def manifest(image: Image) -> Blob:
    layers = [{"mediaType": TAR, "digest": layer.digest, "size": layer.size} for layer in image.layers]
    return blob(MANIFEST, {"schemaVersion": 2, "mediaType": MANIFEST, "config": config(image).described(), "layers": layers})


def index(images: Iterable[Image]) -> Blob:
    """Runtimes take the name from one annotation or the other."""
    rows = [(image, manifest(image).described()) for image in images]
    names = [{"io.containerd.image.name": image.name, "org.opencontainers.image.ref.name": image.name} for image, _ in rows]
    platform = {"architecture": "amd64", "os": "linux"}
    manifests = [{**row, "annotations": name, "platform": platform} for (_, row), name in zip(rows, names, strict=True)]
    return blob(INDEX, {"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests})


def blob(kind: str, document: object) -> Blob:
    return Blob(kind, json.dumps(document, sort_keys=True).encode())


def write(images: Collection[Image], out: IO[bytes], *, present: Collection[str] = ()) -> None:
    """`present`: digests of layers that the reader has."""
    with tarfile.open(fileobj=out, mode="w|") as tar:
        put(tar, "oci-layout", b'{"imageLayoutVersion": "1.0.0"}')
        for small in small_blobs(images):
            put(tar, path_of(small.digest), small.content)
        for layer in {layer.digest: layer for image in images for layer in image.layers if layer.digest not in present}.values():
            found = entry(path_of(layer.digest), tarfile.REGTYPE, 0o644)
            found.size = layer.size
            with layer.tar.open("rb") as content:
                tar.addfile(found, content)
        put(tar, "index.json", index(images).content)


def small_blobs(images: Iterable[Image]) -> Iterator[Blob]:
    for image in images:
        yield config(image)
        yield manifest(image)


def path_of(digest: str) -> str:
    return f"blobs/{digest.replace(':', '/')}"


def put(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    found = entry(name, tarfile.REGTYPE, 0o644)
    found.size = len(content)
    tar.addfile(found, io.BytesIO(content))
