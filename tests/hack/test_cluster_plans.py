"""The cluster's plans: addresses, commands and configuration files, without starting anything."""

import json
import re
from pathlib import Path

import pytest

from cluster import certificates, cgroups, control_plane, marker, network, programs, settings
from cluster.layout import MOST_NODES, Folders, nodes
from cluster.main import main
from cluster.pins import read_pins
from images.debian import read_lock
from servers.trouble import ServerTrouble

MOUNTS = """tmpfs /sys/fs/cgroup tmpfs rw 0 0
cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0
cgroup /sys/fs/cgroup/systemd cgroup rw,name=systemd 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
"""


def test_no_two_nodes_share_a_name_an_address_or_a_link_and_names_of_links_are_short_enough() -> None:
    machines = nodes(MOST_NODES)
    for kind in ("name", "address", "pods", "link", "space"):
        assert len({getattr(machine, kind) for machine in machines}) == MOST_NODES
    assert all(len(machine.link) <= 15 for machine in machines)  # the kernel's limit


def test_three_nodes_are_in_three_zones() -> None:
    assert [machine.zone for machine in nodes(4)] == ["zone-a", "zone-b", "zone-c", "zone-a"]


def test_a_node_has_a_way_to_the_pods_of_every_other_node_and_none_to_the_outside() -> None:
    first, second, third = nodes(3)
    routes = [list(map(str, words)) for words in network.cables(first, nodes(3)) if "route" in words]
    assert [words[5] for words in routes] == ["10.43.0.0/16", second.pods, third.pods]
    assert not any("default" in words for words in routes)


def test_certificates_of_nodes_name_the_node_as_kubernetes_wants_it() -> None:
    found = {identity.name: identity for identity in certificates.identities(nodes(2))}
    assert found["node2"].subject == "/O=system:nodes/CN=system:node:node2"
    assert "IP:10.40.0.102" in found["node2"].also
    assert not found["apiserver"].connects


def test_a_kubeconfig_holds_its_keys_itself() -> None:
    found = json.loads(certificates.kubeconfig(b"a", b"c", b"k"))
    assert found["users"][0]["user"] == {"client-certificate-data": "Yw==", "client-key-data": "aw=="}
    assert found["clusters"][0]["cluster"]["server"] == "https://10.40.0.2:6443"


@pytest.mark.parametrize("name", control_plane.PARTS)
def test_every_part_of_the_control_plane_is_told_where_its_keys_are(name: str) -> None:
    words = list(map(str, control_plane.command(name, Path("/k"), Folders(Path("/a folder")))))
    assert any("/a folder/" in word for word in words)
    assert not any("{" in word for word in words)


def test_the_dns_is_told_of_its_kubeconfig() -> None:
    text = control_plane.COREFILE.format(keys="/keys")
    assert "kubeconfig /keys/dns.kubeconfig" in text
    assert text.count("{") == text.count("}") == 2


def test_all_nodes_together_promise_less_memory_than_the_machine_has() -> None:
    total = 24_000
    assert 3 * (total - settings.reserved_mib(total, 3)) == pytest.approx(0.9 * total, abs=3)


def test_a_node_renews_its_lease_more_often_than_it_may_be_silent() -> None:
    assert settings.KUBELET["nodeLeaseDurationSeconds"] <= control_plane.GRACE_S  # a kubelet renews after a quarter of that


def test_the_files_of_a_node_can_be_read() -> None:
    files = settings.files(nodes(1)[0], 100)
    for name, text in files.items():
        if name.endswith((".json", ".conflist")):
            assert json.loads(text)
    assert "10.41.1.0/24" in files["cni/10-levee.conflist"]


def test_groups_are_mounted_by_their_options() -> None:
    assert cgroups.hierarchies(MOUNTS) == {"cpu,cpuacct": "cpu,cpuacct", "memory": "memory", "systemd": "none,name=systemd"}


def test_the_version_that_is_said_is_the_version_that_is_built() -> None:
    module = (programs.SOURCES / "go.mod").read_text(encoding="utf-8")
    version = read_pins().kubernetes
    assert f"k8s.io/kubernetes v{version}\n" in module
    assert set(re.findall(r"k8s\.io/\S+ => k8s\.io/\S+ v(\S+)", module)) == {version.replace("1.", "0.", 1)}
    assert f"gitVersion=v{version}" in programs.link_flags(version)


def test_what_the_chart_s_monitors_are_held_against_is_pinned_by_its_sum() -> None:
    pin = read_pins().monitors
    assert re.fullmatch(r"h1:.{43}=", pin.sum)
    assert pin.file_name == f"monitors-{pin.version}", "another version is another folder"


def test_every_package_of_a_node_is_locked() -> None:
    assert len(read_lock().chosen(read_pins().node)) == len(set(read_pins().node))


def test_without_root_it_says_what_else_can_be_done(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert main(["down"]) == 1
    assert "KUBECONFIG=FILE" in capsys.readouterr().err


def test_only_one_command_at_a_time_changes_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marker, "LOCK", "\0levee-cluster-test")
    with marker.only_one(), pytest.raises(ServerTrouble, match="Another command"), marker.only_one():
        pass


def test_a_marker_says_whose_cluster_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(marker, "FILE", tmp_path / "marker.json")
    assert marker.read() is None
    marker.Marker("/elsewhere", "/state", 3, {"vm/overcommit_memory": "0"}, had_spaces=True).write()
    found = marker.read()
    assert found is not None
    assert not found.is_ours
    assert found.folders.shared == Path("/state/shared")


def test_on_the_cluster_that_kubeconfig_names_a_command_runs_without_root_and_nothing_is_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setenv("KUBECONFIG", "/elsewhere")
    assert main(["run", "--", "sh", "-c", 'test "$KUBECONFIG" = /elsewhere && exit 7']) == 7
    assert main(["build"]) == 0
    monkeypatch.delenv("KUBECONFIG")
    assert main(["run", "--", "true"]) == 1  # it wants root
