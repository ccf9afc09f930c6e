"""Prometheus, which scrapes what it is told every second and evaluates rules as often; and promtool, which tests rules without a server.

Why: whether a query finds what Levee tells is known only to who answers queries.
Called by: tests of dashboards, recording rules, alerts and rates.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from servers.install import installed
from servers.ports import HOST, answers_ok, ask, start_on_free_ports
from servers.process import Launch, Server, new_folder
from servers.trouble import ServerTrouble


@dataclass(frozen=True, slots=True)
class Prometheus:
    port: int

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Its samples now: `metric` (the labels) and `value` (when, and a text)."""
        found: list[dict[str, Any]] = self.told(f"/api/v1/query?{urlencode({'query': expression})}")["result"]
        return found

    def told(self, path: str) -> Any:
        status, answer = ask(self.port, path)
        if status >= 400:
            raise ServerTrouble(f"Prometheus refused {path} with {status}: {answer}")
        return answer["data"]


@contextmanager
def prometheus_server(
    targets: Mapping[str, Sequence[str]], rules: Sequence[Path] = (), jobs: Sequence[Mapping[str, Any]] = ()
) -> Iterator[tuple[Prometheus, Server]]:
    """`targets`: of each job the addresses, host:port. `jobs`: more of them, as its configuration has them."""
    program, told = installed("prometheus"), configuration(targets, rules, jobs)
    server, (port,) = start_on_free_ports(1, lambda ports: prometheus(program, told, ports[0]))
    try:
        yield Prometheus(port), server
    finally:
        server.close()


def prometheus(program: Path, told: str, port: int) -> Server:
    folder = new_folder("prometheus")
    (folder / "prometheus.yml").write_text(told, encoding="utf-8")
    options = ["--config.file=prometheus.yml", f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address={HOST}:{port}"]
    return Server(Launch("prometheus", [program, *options], lambda: answers_ok(port, "/-/ready"), {}), folder)


def configuration(targets: Mapping[str, Sequence[str]], rules: Sequence[Path], jobs: Sequence[Mapping[str, Any]]) -> str:
    """JSON is YAML."""
    fixed = [{"job_name": name, "static_configs": [{"targets": list(addresses)}]} for name, addresses in targets.items()]
    every = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    return json.dumps({"global": every, "rule_files": [str(path.absolute()) for path in rules], "scrape_configs": [*fixed, *jobs]})
