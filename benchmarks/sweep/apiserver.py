"""A Kubernetes API server of one's own, with its etcd and its garbage collector, on loopback and without root.

Why: a life needs nothing else of a cluster that is real, and each of several lives at a time has one to itself. The program is that of the
test cluster (hack/cluster), which has all three in it.
Called by: bench.
"""

import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import urllib3
import yaml
from kubernetes.client import ApiClient, Configuration

from benchmarks.cluster.waiting import await_true
from cluster.programs import programs
from levee.topology.crd import PLURAL
from levee.topology.spec import API_VERSION
from levee.worlds.kubernetes.api import Api, Denied, Unreachable
from servers.keeper import die_with_parent
from servers.ports import free_ports

ROOT = Path(__file__).parents[2]
TOKEN = "only-on-loopback"  # noqa: S105
STARTS_WITHIN_S, ANSWERS_WITHIN_S = 60.0, 2.0
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

ETCD = """etcd --name=sweep --data-dir={folder}/etcd --unsafe-no-fsync --log-level=warn --listen-client-urls=http://127.0.0.1:{etcd}
    --advertise-client-urls=http://127.0.0.1:{etcd} --listen-peer-urls=http://127.0.0.1:{peer}
    --initial-advertise-peer-urls=http://127.0.0.1:{peer} --initial-cluster=sweep=http://127.0.0.1:{peer}"""
# There is no controller that would make service accounts, nor one that would take the taint of a new node away.
APISERVER = """kube-apiserver --etcd-servers=http://127.0.0.1:{etcd} --bind-address=127.0.0.1 --secure-port={port} --cert-dir={folder}/keys
    --endpoint-reconciler-type=none --advertise-address=10.255.255.254 --service-cluster-ip-range=10.255.0.0/24
    --authorization-mode=AlwaysAllow --token-auth-file={folder}/tokens.csv --disable-admission-plugins=ServiceAccount,TaintNodesByCondition
    --service-account-issuer=https://sweep.invalid --service-account-key-file={folder}/tokens.pub
    --service-account-signing-key-file={folder}/tokens.key --enable-priority-and-fairness=false --profiling=false --v=0"""
COLLECTOR = """kube-controller-manager --kubeconfig={folder}/kubeconfig --controllers=garbage-collector-controller --leader-elect=false
    --secure-port=0 --kube-api-qps=200 --kube-api-burst=400 --v=0"""


@dataclass(slots=True)
class ApiServer:
    folder: Path
    etcd: int
    peer: int
    port: int
    running: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def start(self, kube: Path, words: str) -> None:
        name, *rest = words.format(folder=self.folder, etcd=self.etcd, peer=self.peer, port=self.port).split()
        with (self.folder / f"{name}.log").open("ab") as log:
            told: dict[str, Any] = {"stdout": log, "stderr": log, "start_new_session": True}
            self.running.append(subprocess.Popen([kube, name, *rest], **told, preexec_fn=die_with_parent))  # noqa: PLW1509 - one thread yet

    def api(self) -> Api:
        """For who is not counted. Its certificate is its own, and it listens on loopback alone."""
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        settings = Configuration()
        settings.host, settings.verify_ssl, settings.retries = f"https://127.0.0.1:{self.port}", False, False
        settings.api_key = {"authorization": f"Bearer {TOKEN}"}
        return Api(ApiClient(settings), lambda *_: None)

    def is_ready(self) -> bool:
        if any(one.poll() is not None for one in self.running):
            raise RuntimeError(f"the API server has ended by itself: see {self.folder}")
        with suppress(Unreachable, Denied):
            answer = self.api().stream("/readyz", {}, ANSWERS_WITHIN_S)
            answer.release_conn()
            return bool(answer.status == 200)
        return False

    def end(self) -> None:
        for one in reversed(self.running):
            one.kill()
            one.wait()


@contextmanager
def serving(folder: Path) -> Iterator[ApiServer]:
    """Ready, and with the resource's definition."""
    kube = programs() / "kube"  # built first, if need be
    folder.mkdir(parents=True)
    etcd, peer, port = free_ports(3)
    server = ApiServer(folder, etcd, peer, port)
    keys(folder)
    (folder / "tokens.csv").write_text(f"{TOKEN},sweep,sweep,system:masters\n", encoding="ascii")
    (folder / "kubeconfig").write_text(kubeconfig(f"https://127.0.0.1:{port}"), encoding="ascii")
    try:
        for words in (ETCD, APISERVER):
            server.start(kube, words)
        await_true(server.is_ready, STARTS_WITHIN_S, "the API server is ready")
        define(server.api())
        server.start(kube, COLLECTOR)
        yield server
    finally:
        server.end()


def keys(folder: Path) -> None:
    commands: Sequence[Sequence[str | Path]] = (
        ["openssl", "genrsa", "-out", folder / "tokens.key", "2048"],
        ["openssl", "rsa", "-in", folder / "tokens.key", "-pubout", "-out", folder / "tokens.pub"],
    )
    for command in commands:
        subprocess.run(command, check=True, capture_output=True)


def kubeconfig(server: str) -> str:
    """As JSON, which is YAML."""
    cluster = {"server": server} | ({"insecure-skip-tls-verify": True} if server.startswith("https") else {})
    told = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "sweep", "cluster": cluster}],
        "users": [{"name": "sweep", "user": {"token": TOKEN}}],
        "contexts": [{"name": "sweep", "context": {"cluster": "sweep", "user": "sweep"}}],
        "current-context": "sweep",
    }
    return json.dumps(told, indent=1)


def define(api: Api) -> None:
    for path in sorted((ROOT / "crds").glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            api.create(DEFINITIONS, document)
    await_true(lambda: api.get(f"/apis/{API_VERSION}/{PLURAL}", limit="1") is not None, STARTS_WITHIN_S, "the resource is served")
    time.sleep(0.5)  # discovery follows
