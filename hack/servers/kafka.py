"""A Kafka broker that is its own controller (KRaft), with one node and no security.

Why: Kafka is the source most topologies have, and only a real broker has offsets, transactions and rebalances.
Called by: stack, and tests that kill their own broker.
"""

import json
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from servers.install import jars_of, java
from servers.ports import HOST, start_on_free_ports
from servers.process import Launch, Server, new_folder

CLUSTER = "bGV2ZWUtdGVzdHMtbGV2ZQ"  # 16 bytes in base64, as Kafka wants it
SMALL = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")  # one broker for a handful of clients: start fast, stay small
# Formatting belongs to the first start; `exec` so that the process id is the broker's. $1: java with its flags, $2: configuration, $3: data
START = 'test -e "$3"/meta.properties || $1 kafka.tools.StorageTool format -t "$4" -c "$2" || exit 1; exec $1 kafka.Kafka "$2"'


@dataclass(frozen=True, slots=True)
class Kafka:
    """What a client needs, and the jars that let Spark be one; as JSON it is the value of LEVEE_TEST_KAFKA."""

    bootstrap: str
    jars: tuple[str, ...]

    @classmethod
    def from_json(cls, text: str) -> Self:
        document = json.loads(text)
        return cls(document["bootstrap"], tuple(document["jars"]))

    def to_json(self) -> str:
        return json.dumps(asdict(self))


@contextmanager
def kafka_server() -> Iterator[tuple[Kafka, Server]]:
    server, (port, _) = start_on_free_ports(2, broker)
    try:
        yield Kafka(f"{HOST}:{port}", tuple(map(str, jars_of("spark-kafka")))), server
    finally:
        server.close()


def broker(ports: list[int]) -> Server:
    port, controller_port = ports
    classes, program, folder = os.pathsep.join(map(str, jars_of("kafka"))), java().program, new_folder("kafka")
    (folder / "broker.properties").write_text(configuration(port, controller_port, folder / "data"), encoding="utf-8")
    (folder / "java").write_text(
        f'#!/bin/sh\nexec "{program}" {" ".join(SMALL)} -Djava.io.tmpdir="{folder}" -cp "{classes}" "$@"\n', encoding="utf-8"
    )
    (folder / "java").chmod(0o755)
    command: list[str | Path] = ["sh", "-c", START, "kafka", "./java", "broker.properties", folder / "data", CLUSTER]
    return Server(Launch("kafka", command, lambda: answers(port), {}), folder)


def configuration(port: int, controller_port: int, data: Path) -> str:
    """One replica of everything, and no waiting for others that never come."""
    return f"""process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{HOST}:{controller_port}
listeners=PLAINTEXT://{HOST}:{port},CONTROLLER://{HOST}:{controller_port}
advertised.listeners=PLAINTEXT://{HOST}:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
log.dirs={data}
num.partitions=4
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
"""


def answers(port: int) -> bool:
    """Ask for the API versions: the socket is open long before the broker works."""
    question = struct.pack(">ihhih", 10, 18, 0, 1, -1)  # length, ApiVersions, version 0, correlation, no client name
    try:
        with socket.create_connection((HOST, port), timeout=1) as connection:
            connection.sendall(question)
            return len(connection.recv(4)) == 4
    except OSError:
        return False
