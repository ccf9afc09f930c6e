"""Where a container has less memory than its machine."""

from pathlib import Path

import pytest

from levee.cli.demo.memory import free_here_mib

MIB = 1 << 20


def write(root: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def free(root: Path) -> list[int]:
    return list(free_here_mib(root / "proc", root / "groups"))


MACHINE = {"proc/meminfo": f"MemTotal: 1 kB\nMemAvailable: {8192 * 1024} kB\n"}
SECOND = {
    "proc/self/cgroup": "0::/pods/demo\n",
    "groups/pods/demo/memory.max": f"{1500 * MIB}\n",
    "groups/pods/demo/memory.current": f"{600 * MIB}\n",
    "groups/pods/demo/memory.stat": f"anon 1\ninactive_file {100 * MIB}\n",
    "groups/pods/memory.max": "max\n",
    "groups/pods/memory.current": "1\n",
}
FIRST = {
    "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/demo\n",
    "groups/memory/demo/memory.limit_in_bytes": f"{1500 * MIB}\n",
    "groups/memory/demo/memory.usage_in_bytes": f"{1000 * MIB}\n",
    "groups/cpu,cpuacct/x/memory.max": "1\n",
}


@pytest.mark.parametrize(
    ("texts", "expected"), [({}, [8192]), (SECOND, [8192, 1000]), (FIRST, [8192, 500])], ids=["none", "second", "first"]
)
def test_what_is_free_is_what_the_machine_and_the_groups_of_the_process_leave(
    texts: dict[str, str], expected: list[int], tmp_path: Path
) -> None:
    write(tmp_path, MACHINE | texts)
    assert free(tmp_path) == expected


def test_where_nobody_tells_nothing_is_known(tmp_path: Path) -> None:
    assert free(tmp_path) == []
