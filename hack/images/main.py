"""The command behind `python -m hack.images`.

Why: people want the images in files, the Dockerfile wants their file systems, and now and then Debian's versions are renewed.
Called by: __main__.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from cluster.pins import read_pins
from images import archive, pin
from images.build import build, unpack
from images.contents import read_contents
from images.starts import starts
from servers.trouble import ServerTrouble


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    try:
        match chosen.verb:
            case "build":
                print("\n".join(described(image) for image in build(chosen.names)))
            case "save":
                with chosen.file.open("wb") as out:
                    archive.write(build(chosen.names), out)
            case "unpack":
                unpack(chosen.name, chosen.folder)
            case "starts":
                print(starts(chosen.namespace))
            case _:
                pin.pin([*read_pins().node, *(name for layer in read_contents().layers.values() for name in layer.debian)])
    except ServerTrouble as trouble:
        print(trouble, file=sys.stderr)
        return 1
    return 0


def described(image: archive.Image) -> str:
    return f"{image.name}  {sum(layer.size for layer in image.layers) / 1e6:.0f} MB  {archive.config(image).digest}"


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m hack.images", description="Levee's images, made without a container runtime and without root."
    )
    verbs = top.add_subparsers(dest="verb", required=True)
    names = list(read_contents().images)
    building = verbs.add_parser("build", help="make the layers that are not in the cache")
    saving = verbs.add_parser("save", help="write images to a file that docker, podman and containerd load")
    saving.add_argument("file", type=Path, metavar="FILE")
    for verb in (building, saving):
        verb.add_argument("names", nargs="*", metavar="IMAGE", help=f"of {', '.join(names)}; none: all")
    unpacking = verbs.add_parser("unpack", help="write the file system of an image into a folder, for the Dockerfile")
    unpacking.add_argument("name", choices=names)
    unpacking.add_argument("folder", type=Path)
    watching = verbs.add_parser("starts", help="print how long the workers' pods of a namespace took to start, and on what")
    watching.add_argument("namespace")
    verbs.add_parser("pin", help="write debian.lock anew, with Debian's versions of today")
    return top
