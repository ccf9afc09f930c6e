"""The configuration files of a node: kubelet, kube-proxy, containerd, the network of its pods.

Why: a few of these settings are why the cluster runs at all on a small or unusual machine; each has its reason beside it.
Called by: node.
"""

import json
from typing import Any

from cluster.layout import DNS_SERVICE, DOMAIN, FABRIC, PAUSE, PODS, Node

SOCKET = "/run/containerd/containerd.sock"
HERE = "/etc/cluster"  # in the node
KINDS = (
    "snapshotter.v1.btrfs",
    "snapshotter.v1.zfs",
    "snapshotter.v1.devmapper",
    "snapshotter.v1.aufs",
    "internal.v1.opt",
    "tracing.processor.v1.otlp",
)
UNUSED = tuple(f"io.containerd.{kind}" for kind in KINDS)


KUBELET: dict[str, Any] = {
    "apiVersion": "kubelet.config.k8s.io/v1beta1",
    "kind": "KubeletConfiguration",
    "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True}, "x509": {"clientCAFile": f"{HERE}/authority.crt"}},
    "authorization": {"mode": "Webhook"},
    "tlsCertFile": f"{HERE}/node.crt",
    "tlsPrivateKeyFile": f"{HERE}/node.key",
    "containerRuntimeEndpoint": f"unix://{SOCKET}",
    "cgroupDriver": "cgroupfs",
    "failCgroupV1": False,
    "failSwapOn": False,
    "clusterDNS": [DNS_SERVICE],
    "clusterDomain": DOMAIN,
    "resolvConf": f"{HERE}/resolv.conf",
    "nodeStatusUpdateFrequency": "1s",
    "nodeStatusReportFrequency": "10s",
    "nodeLeaseDurationSeconds": 4,  # renewed every second: the grace of the control plane is 4 s
    "syncFrequency": "10s",
    "imageGCHighThresholdPercent": 100,  # images cannot be pulled again
    "imageGCLowThresholdPercent": 99,
    "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
    "serializeImagePulls": False,
    "shutdownGracePeriod": "0s",
    "enableControllerAttachDetach": False,
}
PROXY: dict[str, Any] = {
    "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
    "kind": "KubeProxyConfiguration",
    "mode": "iptables",
    "clientConnection": {"kubeconfig": f"{HERE}/proxy.kubeconfig"},
    "clusterCIDR": PODS,
    "conntrack": {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},  # not a namespace's to set
    "nodePortAddresses": [FABRIC],
}
RUNTIME = 'plugins."io.containerd.grpc.v1.cri"'
# restrict_oom_score_adj: some virtual machines forbid lowering it even to root, and no container starts.
CONTAINERD = f"""version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = {json.dumps(UNUSED)}
[grpc]
  address = "{SOCKET}"
[{RUNTIME}]
  sandbox_image = "{PAUSE}"
  tolerate_missing_hugetlb_controller = true
  disable_apparmor = true
  restrict_oom_score_adj = true
[{RUNTIME}.containerd]
  snapshotter = "overlayfs"
  default_runtime_name = "runc"
[{RUNTIME}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[{RUNTIME}.containerd.runtimes.runc.options]
  SystemdCgroup = false
[{RUNTIME}.cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "{HERE}/cni"
"""


def kubelet(node: Node, reserved_mib: int) -> dict[str, Any]:
    """Every node sees the whole machine, so it is told what is not its own."""
    return {**KUBELET, "address": node.address, "systemReserved": {"memory": f"{reserved_mib}Mi"}}


def reserved_mib(total_mib: int, nodes: int) -> int:
    """What a node must not promise, so that all nodes together promise what there is."""
    return total_mib - total_mib * 9 // (10 * nodes)


def proxy(node: Node) -> dict[str, Any]:
    return {**PROXY, "hostnameOverride": node.name}


def pod_network(node: Node) -> dict[str, Any]:
    """Addresses are given out in memory, as they are lost with the node."""
    addresses = {"type": "host-local", "dataDir": "/run/cni", "ranges": [[{"subnet": node.pods}]], "routes": [{"dst": "0.0.0.0/0"}]}
    bridge = {"type": "bridge", "bridge": "pods0", "isGateway": True, "hairpinMode": True, "ipam": addresses}
    return {"cniVersion": "0.4.0", "name": "levee", "plugins": [bridge]}


def files(node: Node, reserved: int) -> dict[str, str]:
    """Below /etc/cluster of the node."""
    return {
        "kubelet.json": json.dumps(kubelet(node, reserved), indent=1),
        "proxy.json": json.dumps(proxy(node), indent=1),
        "containerd.toml": CONTAINERD,
        "cni/10-levee.conflist": json.dumps(pod_network(node), indent=1),
        "resolv.conf": f"nameserver {DNS_SERVICE}\n",
    }
