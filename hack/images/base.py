"""What Debian's scripts would have made: users, trusted certificates, commands; packages are unpacked here, never run.

Why: it is a dozen files, and without scripts an image needs neither root nor the same kind of machine.
Called by: layers.
"""

from images.tree import Tree

# Of busybox: for people, and chmod, id, ln, readlink and stat for Hadoop, which forks them for what Java had no words for.
COMMANDS = (
    "sh cat chmod cp df du env find free grep head hostname id kill ln ls mkdir mount mv ps readlink rm sleep stat tail test touch vi"
)
FOLDERS = ("dev", "etc", "proc", "root", "run", "sys", "var/tmp")
CERTIFICATES = "usr/share/ca-certificates"


def add_base(tree: Tree, user: int) -> None:
    for name, text in files(user).items():
        tree.file(name, text.encode())
    tree.folder("tmp", 0o1777)
    for name in FOLDERS:
        tree.folder(name)
    for name in COMMANDS.split():
        tree.link(f"usr/bin/{name}", "busybox")
    tree.link("usr/bin/python3", "python3.11")
    tree.file("etc/ssl/certs/ca-certificates.crt", tree.joined(CERTIFICATES))


def files(user: int) -> dict[str, str]:
    return {
        "etc/passwd": f"root:x:0:0::/root:/bin/sh\nlevee:x:{user}:{user}::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
        "etc/group": f"root:x:0:\nlevee:x:{user}:\nnogroup:x:65534:\n",
        "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
        "etc/os-release": 'PRETTY_NAME="Levee, on Debian 12"\nID=debian\nVERSION_ID="12"\n',
    }
