"""The control plane's processes and how each is started.

Why: three timings decide how fast a dead node is noticed, and they stand here beside each other.
Called by: running.
"""

from pathlib import Path

from cluster import cgroups, processes
from cluster.layout import CONTROL, CONTROL_CGROUP, CONTROL_SPACE, DOMAIN, S3_PORT, SERVICES, Folders
from cluster.programs import programs_folder
from cluster.shell import Command

GRACE_S = 4  # a node that was not heard of for so long is not ready
TOLERATION_S = 5  # and its pods are given up so long after that

# Without fsync: the machine's crash ends the whole cluster.
ETCD = """etcd --name=levee --data-dir={state}/etcd --unsafe-no-fsync --log-level=warn --quota-backend-bytes=8589934592
    --listen-client-urls=http://127.0.0.1:2379 --advertise-client-urls=http://127.0.0.1:2379 --listen-peer-urls=http://127.0.0.1:2380"""
APISERVER = f"""kube-apiserver --etcd-servers=http://127.0.0.1:2379 --secure-port=6443 --advertise-address={CONTROL}
    --service-cluster-ip-range={SERVICES} --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --allow-privileged=true
    --client-ca-file={{keys}}/authority.crt --tls-cert-file={{keys}}/apiserver.crt --tls-private-key-file={{keys}}/apiserver.key
    --kubelet-client-certificate={{keys}}/apiserver-to-kubelet.crt --kubelet-client-key={{keys}}/apiserver-to-kubelet.key
    --kubelet-preferred-address-types=InternalIP --service-account-issuer=https://kubernetes.default.svc.{DOMAIN}
    --service-account-key-file={{keys}}/tokens.pub --service-account-signing-key-file={{keys}}/tokens.key
    --requestheader-client-ca-file={{keys}}/front-authority.crt --requestheader-allowed-names=front-proxy-client
    --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group
    --requestheader-extra-headers-prefix=X-Remote-Extra- --enable-aggregator-routing=true
    --proxy-client-cert-file={{keys}}/front-proxy.crt --proxy-client-key-file={{keys}}/front-proxy.key
    --default-not-ready-toleration-seconds={TOLERATION_S} --default-unreachable-toleration-seconds={TOLERATION_S}
    --max-requests-inflight=800 --max-mutating-requests-inflight=400 --profiling=false --v=1"""
CONNECTED = """--kubeconfig={keys}/{name}.kubeconfig --authentication-kubeconfig={keys}/{name}.kubeconfig
    --authorization-kubeconfig={keys}/{name}.kubeconfig --leader-elect=false --kube-api-qps=500 --kube-api-burst=1000
    --bind-address=127.0.0.1 --v=1"""
CONTROLLER_MANAGER = f"""kube-controller-manager {CONNECTED} --use-service-account-credentials=true --root-ca-file={{keys}}/authority.crt
    --service-account-private-key-file={{keys}}/tokens.key --cluster-signing-cert-file={{keys}}/authority.crt
    --cluster-signing-key-file={{keys}}/authority.key --node-monitor-period=1s --node-monitor-grace-period={{grace_s}}s
    --allocate-node-cidrs=false"""
SCHEDULER = f"kube-scheduler {CONNECTED}"
PARTS = {"etcd": ETCD, "apiserver": APISERVER, "controller-manager": CONTROLLER_MANAGER, "scheduler": SCHEDULER}

COREFILE = f""".:53 {{{{
  bind {CONTROL}
  errors
  health 127.0.0.1:8088
  ready 127.0.0.1:8181
  cache 1
  kubernetes {DOMAIN} in-addr.arpa {{{{
    kubeconfig {{keys}}/dns.kubeconfig
    pods verified
    ttl 1
  }}}}
}}}}
"""


def command(name: str, kube: Path, folders: Folders, grace_s: int = GRACE_S) -> Command:
    said = {"name": name, "keys": folders.keys, "state": folders.state, "grace_s": grace_s}
    return [kube, *(word.format(**said) for word in PARTS[name].split())]


def kube() -> Path:
    return programs_folder() / "kube"


def s3(program: Path, folders: Folders) -> Command:
    return [program, "--port", f"{CONTROL}:{S3_PORT}", "--health", "/health", "--quiet", "posix", folders.state / "buckets"]


def start(name: str, words: Command, folders: Folders, extra: dict[str, str] | None = None) -> None:
    inside = ["nsenter", f"--net=/run/netns/{CONTROL_SPACE}", *words]
    groups = [cgroups.ROOT / hierarchy / CONTROL_CGROUP for hierarchy in cgroups.mounted()]
    pid = processes.start(inside, folders.logs / f"{name}.log", before=lambda: cgroups.enter(groups), extra=extra)
    processes.record(folders.processes, name, pid)
