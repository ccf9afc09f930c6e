"""Build images from their list of contents.

Why: the cluster, the command line and the Dockerfile want the same ones.
Called by: main, the cluster.
"""

import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from images.archive import Image
from images.contents import ROOT, Contents, read_contents
from images.layers import Layer, cache, forget_old, layer
from servers.cache import only_one
from servers.install import say
from servers.trouble import ServerTrouble

PREFIX, TAG = "localhost/levee", "dev"  # a registry of this name is asked by nobody
PYTHON = (3, 11)


def build(names: Iterable[str] = (), *, tag: str = TAG, source: Path = ROOT) -> list[Image]:
    """All images, if none is named; of the code of another checkout, if one is, with the libraries of this one."""
    if sys.version_info[:2] != PYTHON:
        raise ServerTrouble(
            "Images hold Python 3.11 and what is compiled for it: build them with that (make clean, make venv PYTHON=python3.11)."
        )
    contents, made = read_contents(), dict[str, Layer]()
    with only_one(cache()):
        for name in names or contents.images:
            for part in contents.images[name].layers:
                if part not in made:
                    made[part] = told(part, contents, source)
        forget_old()
    return [image(name, tag, contents, made) for name in names or contents.images]


def told(name: str, contents: Contents, source: Path) -> Layer:
    started_s = time.monotonic()
    made = layer(name, contents, source)
    if (took_s := time.monotonic() - started_s) > 1:
        say(f"images: layer {name}: {made.size / 1e6:.0f} MB after {took_s:.0f} s")
    return made


def image(name: str, tag: str, contents: Contents, made: dict[str, Layer]) -> Image:
    wanted = contents.images[name]
    return Image(
        f"{PREFIX}/{name}:{tag}", tuple(made[part] for part in wanted.layers), contents.user, contents.environment, wanted.entrypoint
    )


def unpack(name: str, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    (one,) = build([name])
    for part in one.layers:
        subprocess.run(["tar", "-C", target, "--no-same-owner", "-xpf", part.tar], check=True)
