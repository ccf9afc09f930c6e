"""Keys, certificates and kubeconfigs: who is who in the cluster.

Why: every part proves its name to every other, in the test cluster as in any; what the names may do is Kubernetes' own.
Called by: running.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cluster.layout import API, API_SERVICE, CONTROL, DOMAIN, Node
from cluster.shell import Command, run_all

AUTHORITY, FRONT = "authority", "front-authority"
API_NAMES = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", f"kubernetes.default.svc.{DOMAIN}")
NEW_KEY = ("openssl", "req", "-x509", "-days", "3650", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
EXTENSIONS = ("basicConstraints=CA:FALSE", "extendedKeyUsage=serverAuth,clientAuth")
OPENSSL = """[req]
distinguished_name = empty
[empty]
"""


@dataclass(frozen=True, slots=True)
class Identity:
    name: str
    subject: str
    also: str = ""  # other names, as openssl writes them
    signer: str = AUTHORITY
    connects: bool = False  # as a client, with a kubeconfig


def identities(nodes: Iterable[Node]) -> Iterator[Identity]:
    also = ",".join([*(f"DNS:{name}" for name in API_NAMES), "IP:127.0.0.1", f"IP:{CONTROL}", f"IP:{API_SERVICE}"])
    yield Identity("apiserver", "/CN=kube-apiserver", also)
    yield Identity("apiserver-to-kubelet", "/O=system:masters/CN=kube-apiserver-kubelet-client")
    yield Identity("front-proxy", "/CN=front-proxy-client", signer=FRONT)
    yield Identity("admin", "/O=system:masters/CN=admin", connects=True)
    yield Identity("dns", "/O=system:masters/CN=dns", connects=True)
    for name in ("controller-manager", "scheduler", "proxy"):
        yield Identity(name, f"/CN=system:kube-{name}", connects=True)
    for node in nodes:
        yield Identity(node.name, f"/O=system:nodes/CN=system:node:{node.name}", f"DNS:{node.name},IP:{node.address}", connects=True)


def commands(wanted: Iterable[Identity], folder: Path) -> Iterator[Command]:
    for name in (AUTHORITY, FRONT):
        yield [*request(name, f"/CN={name}", folder), "-addext", "basicConstraints=critical,CA:TRUE"]
    for identity in wanted:
        signed: Command = ["-CA", folder / f"{identity.signer}.crt", "-CAkey", folder / f"{identity.signer}.key"]
        extensions = [*EXTENSIONS, f"subjectAltName={identity.also}"] if identity.also else EXTENSIONS
        yield [*request(identity.name, identity.subject, folder), *signed, *(word for text in extensions for word in ("-addext", text))]
    yield ["openssl", "genrsa", "-out", folder / "tokens.key", "2048"]
    yield ["openssl", "rsa", "-in", folder / "tokens.key", "-pubout", "-out", folder / "tokens.pub"]


def request(name: str, subject: str, folder: Path) -> list[str | Path]:
    named: list[str | Path] = ["-subj", subject, "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.crt"]
    return [*NEW_KEY, "-config", folder / "openssl.cnf", *named]


def kubeconfig(authority: bytes, certificate: bytes, key: bytes) -> str:
    """As JSON, which is YAML; the keys are in it, so that the file can be carried about."""
    data = {
        name: b64encode(content).decode("ascii") for name, content in (("client-certificate-data", certificate), ("client-key-data", key))
    }
    cluster = {"server": API, "certificate-authority-data": b64encode(authority).decode("ascii")}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "levee", "cluster": cluster}],
            "users": [{"name": "levee", "user": data}],
            "contexts": [{"name": "levee", "context": {"cluster": "levee", "user": "levee"}}],
            "current-context": "levee",
        },
        indent=1,
    )


def write(folder: Path, nodes: Iterable[Node]) -> None:
    folder.mkdir(parents=True, mode=0o700)
    (folder / "openssl.cnf").write_text(OPENSSL, encoding="ascii")
    wanted = list(identities(nodes))
    run_all(commands(wanted, folder))
    authority = (folder / f"{AUTHORITY}.crt").read_bytes()
    for identity in (identity for identity in wanted if identity.connects):
        crt, key = ((folder / f"{identity.name}.{kind}").read_bytes() for kind in ("crt", "key"))
        (folder / f"{identity.name}.kubeconfig").write_text(kubeconfig(authority, crt, key), encoding="ascii")
