"""A Prometheus on this machine that scrapes pods by their annotations, and names what it reads as most people have it named.

Why: the one that tests build finds no pods by itself. So it is told, as often as it asks, what its own discovery would find, under the same
names; what it makes of that stands in its configuration, as it would in anybody's.
Called by: test_e2e_rates, test_e2e_alerts.
"""

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any

from servers.install import install
from servers.process import Server
from servers.prometheus import Prometheus, prometheus_server
from tests.e2e.cluster.pod_watch import PodWatch

ASKED_EVERY = "2s"
NOBODY: Mapping[str, Sequence[str]] = MappingProxyType({})
NAMED, ANNOTATED, LABELLED = "__meta_kubernetes", "__meta_kubernetes_pod_annotation_prometheus_io", "__meta_kubernetes_pod_label_"
RELABELLED = [
    {"source_labels": [f"{ANNOTATED}_scrape"], "action": "keep", "regex": "true"},
    {"source_labels": [f"{NAMED}_pod_phase"], "action": "drop", "regex": "Pending|Succeeded|Failed"},
    {"source_labels": [f"{ANNOTATED}_path"], "target_label": "__metrics_path__", "regex": "(.+)"},
    {"source_labels": [f"{NAMED}_pod_ip", f"{ANNOTATED}_port"], "separator": ":", "target_label": "__address__"},
    {"action": "labelmap", "regex": f"{LABELLED}(.+)"},
    {"source_labels": [f"{NAMED}_namespace"], "target_label": "namespace"},
    {"source_labels": [f"{NAMED}_pod_name"], "target_label": "pod"},
]


@contextmanager
def scraping_by_annotations(
    watch: PodWatch, others: Mapping[str, Sequence[str]] = NOBODY, rules: Sequence[Path] = ()
) -> Iterator[tuple[Prometheus, Server]]:
    """`others`: whom it scrapes besides, as `prometheus_server` has it."""
    install(["prometheus"])
    with telling(watch) as address:
        job = {"job_name": "pods", "http_sd_configs": [{"url": address, "refresh_interval": ASKED_EVERY}], "relabel_configs": RELABELLED}
        with prometheus_server(others, rules, [job]) as running:
            yield running


@contextmanager
def telling(watch: PodWatch) -> Iterator[str]:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps([target(one.told) for one in watch.there() if one.told["status"].get("podIP")]).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """What it was asked is of no interest."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


def target(pod: Any) -> dict[str, Any]:
    told, how = pod["metadata"], pod["status"]
    known = {
        f"{NAMED}_namespace": told["namespace"],
        f"{NAMED}_pod_name": told["name"],
        f"{NAMED}_pod_ip": how["podIP"],
        f"{NAMED}_pod_phase": how["phase"],
    }
    annotations = {f"{NAMED}_pod_annotation_{plain(name)}": text for name, text in told.get("annotations", {}).items()}
    labels = {f"{LABELLED}{plain(name)}": text for name, text in told.get("labels", {}).items()}
    return {"targets": [how["podIP"]], "labels": known | annotations | labels}


def plain(name: str) -> str:
    """As labels of metrics may be called."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", name)
