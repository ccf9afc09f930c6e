"""Ask the API server.

Why: bringing a cluster up takes a dozen requests, for which no client library is worth its import.
Called by: running, status, and tests of the cluster.
"""

import http.client
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from cluster.layout import API, CONTROL, DNS_SERVICE, Folders
from servers.trouble import ServerTrouble

TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Api:
    context: ssl.SSLContext

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, str]:
        """Status 0: nobody answers."""
        address = urlsplit(API)
        connection = http.client.HTTPSConnection(address.hostname or "", address.port, timeout=TIMEOUT_S, context=self.context)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError as trouble:
            return 0, str(trouble)
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        return self.expect("GET", path)

    def create(self, path: str, document: Mapping[str, Any]) -> None:
        self.expect("POST", path, document)

    def expect(self, method: str, path: str, body: object = None) -> Any:
        status, text = self.ask(method, path, body)
        if not 200 <= status < 300:
            raise ServerTrouble(f"The API server answers {method} {path} with {status}: {text.strip()}")
        return json.loads(text)

    def is_ready(self) -> bool:
        return self.ask("GET", "/readyz")[0] == 200

    def ready_nodes(self) -> dict[str, bool]:
        return {item["metadata"]["name"]: is_ready(item) for item in self.get("/api/v1/nodes")["items"]}


def is_ready(item: Mapping[str, Any]) -> bool:
    return any(row["type"] == "Ready" and row["status"] == "True" for row in item["status"].get("conditions", ()))


def connect(folders: Folders) -> Api:
    context = ssl.create_default_context(cafile=folders.keys / "authority.crt")
    context.load_cert_chain(folders.keys / "admin.crt", folders.keys / "admin.key")
    return Api(context)


# The server runs beside the control plane, so the service is told its address by hand.
DNS_PORTS = [{"name": name, "port": 53, "protocol": protocol} for name, protocol in (("dns", "UDP"), ("dns-tcp", "TCP"))]
DNS_ENDPOINTS = {
    "metadata": {"name": "kube-dns-beside", "labels": {"kubernetes.io/service-name": "kube-dns"}},
    "addressType": "IPv4",
    "ports": DNS_PORTS,
    "endpoints": [{"addresses": [CONTROL], "conditions": {"ready": True}}],
}


def announce_dns(api: Api) -> None:
    service = {"metadata": {"name": "kube-dns"}, "spec": {"clusterIP": DNS_SERVICE, "ports": DNS_PORTS}}
    api.create("/api/v1/namespaces/kube-system/services", service)
    api.create("/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices", DNS_ENDPOINTS)
