"""The README's commands for a cluster, run as they stand there: they print what it shows, but for ages, numbers and who leads; and the
namespace of its topology can be deleted.

To write the README anew: LEVEE_WRITE_GOLDEN=1, and read the difference.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from cluster.programs import programs_folder
from tests.e2e.cluster.chart import ROOT, asked, settings
from tests.e2e.cluster.conftest import is_ours
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.store import TEST_CLUSTERS, store_of_tests
from tests.e2e.cluster.trades import PATIENCE_S, PAUSE_S

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs_store,
    pytest.mark.alone(because="its operator watches all namespaces"),
]

README = ROOT / "README.md"
SECTION = re.compile(r"### On Kubernetes.*?(?=\n#)", re.DOTALL)
SHOWN = re.compile(r"^\$ (?P<command>(?:helm|kubectl) [^\n]*)\n(?P<output>(?:(?!\$ |```)[^\n]*\n)*)", re.MULTILINE)
NAMESPACE, SYSTEM, RELEASE = "shop", "levee-system", "levee"
WIDTH = 110
TRIES = 8
OF_TESTS = re.compile(r"levee-\d+-\d+")  # namespaces of tests, also those that are on their way out
GONE_WITHIN_S = 120
HERE = [  # what is another one on this cluster: where images come from
    *settings(image__repository="localhost/levee/operator", image__tag="dev", image__pullPolicy="Never"),
    *settings(workers__image__repository="localhost/levee/worker", workers__image__tag="dev"),
]
STORE = store_of_tests()
ROLES = re.compile(r"\b(primary|secondary|standby)\b")
SINCE = re.compile(r"^\S*\d\d:\d\d:\d\d.*\n", re.MULTILINE)  # lines of what happened
ACCOUNT = re.compile(r"^over [^\n]* rows in time.*?\n(?=\s*\n)", re.MULTILINE | re.DOTALL)  # a busy machine has another one each time
DRIFT = re.compile(r"^ *DescriptorHolds .*\n", re.MULTILINE)  # told once enough has been measured
NUMBER = re.compile(r"\d+(\.\d+)?(m\d+s|ms|[smhd])?\b")


@pytest.fixture
def shop(kube: Kube) -> Iterator[Kube]:
    """The namespace of the topology, which is made by the README; the operator's is there."""
    shop = Kube(kube.kubeconfig, f"{kube.namespace}-{NAMESPACE}")
    leave_alone_what_others_run(shop)
    yield shop
    shop.run("delete", "ftt", "--all", "--timeout=170s")  # if the test has failed: afterwards nobody takes the finalizer off
    asked("uninstall", RELEASE, "--wait", kube=kube)
    shop.run("delete", "namespace", shop.namespace, "--wait=false", "--ignore-not-found")


def leave_alone_what_others_run(kube: Kube) -> None:
    """The operator of the README watches all namespaces, and would act on them."""
    there = kube.asked("get", "ftt", "--all-namespaces", "--output=jsonpath={.items[*].metadata.namespace}").stdout.split()
    others = {one for one in there if not OF_TESTS.match(one)}
    assert is_ours() or not others, (
        f"on this cluster topologies run in {sorted(others)}, and an operator of all namespaces would act on them"
    )


@pytest.fixture
def folder(tmp_path: Path, shop: Kube) -> Path:
    """The tree, as somebody has it who has put his store into the example, and kubectl and its plugin onto his path."""
    (tmp_path / "bin").mkdir()
    own = programs_folder()
    for name, program in {
        "kubectl": own / "kube",
        "helm": own / "helm",
        "kubectl-levee": Path(sys.executable).parent / "kubectl-levee",
    }.items():
        found = program if program.exists() else Path(shutil.which(name) or name)
        (tmp_path / "bin" / name).symlink_to(found)
    (tmp_path / "helm").symlink_to(ROOT / "helm")
    examples = tmp_path / "examples" / "kubernetes"
    shutil.copytree(ROOT / "examples" / "kubernetes", examples)
    secret = yaml.safe_load((examples / "store.yaml").read_text(encoding="utf-8"))
    assert TEST_CLUSTERS.secret.keys() <= secret["stringData"].keys()
    (examples / "store.yaml").write_text(json.dumps(secret | {"stringData": STORE.secret}), encoding="utf-8")
    change(examples / "trades.yaml", "s3://levee/", f"{STORE.uri}/{shop.namespace}/")
    change(examples / "namespace.yaml", f"name: {NAMESPACE}", f"name: {shop.namespace}")
    return tmp_path


def change(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")


def test_the_readme_shows_what_is_printed_and_its_namespace_can_be_deleted(shop: Kube, folder: Path) -> None:
    text = README.read_text(encoding="utf-8")
    section = SECTION.search(text)
    assert section is not None
    shown, printed = [], []
    for found in SHOWN.finditer(section[0]):
        if "get ftt" in found["command"]:
            wait_until_well(shop)
        shown.append(found)
        printed.append(run(found["command"], shop, folder))
    assert len(shown) == 5
    if "LEVEE_WRITE_GOLDEN" in os.environ:
        told = section[0]
        for found, output in zip(reversed(shown), reversed(printed), strict=True):
            told = told[: found.start("output")] + output + told[found.end("output") :]
        README.write_text(text.replace(section[0], told), encoding="utf-8")
        return
    for found, output in zip(shown, printed, strict=True):
        if found["output"]:  # the others are only run
            assert essence(settled(found, output, shop, folder)) == essence(found["output"]), found["command"]
    shop.run("delete", "namespace", shop.namespace, f"--timeout={GONE_WITHIN_S}s")


def settled(found: "re.Match[str]", output: str, shop: Kube, folder: Path) -> str:
    """A busy machine is late at times, and says so: then it is asked again."""
    for _ in range(TRIES if found["command"].startswith("kubectl levee") else 0):
        if essence(output) == essence(found["output"]):
            break
        time.sleep(PAUSE_S)
        output = run(found["command"], shop, folder)
    return output


def wait_until_well(kube: Kube) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not is_well(kube):
        assert time.monotonic() < deadline_s, kube.run("describe", "ftt", "trades")
        time.sleep(PAUSE_S)


def is_well(kube: Kube) -> bool:
    """Settled: it has measured its rates, too."""
    told = kube.get("ftt", "trades").get("status", {}).get("conditions", ())
    found = {one["type"]: (one["status"], one["reason"]) for one in told}
    return found.get("Ready", ("", ""))[0] == "True" and found["GuaranteeMet"][0] == "True" and found["Healthy"] == ("True", "Settled")


def run(command: str, shop: Kube, folder: Path) -> str:
    """As it stands there, in namespaces of its own."""
    system = shop.namespace.removesuffix(f"-{NAMESPACE}")
    words = [word.replace(SYSTEM, system).replace(NAMESPACE, shop.namespace) for word in shlex.split(command)]
    words += ["--take-ownership", "--wait", *HERE] if words[0] == "helm" else []
    environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "KUBECONFIG": str(shop.kubeconfig)}
    environment["COLUMNS"] = str(WIDTH + len(shop.namespace) - len(NAMESPACE))
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return with_usual_nodes(done.stdout.replace(shop.namespace, NAMESPACE).replace(system, SYSTEM), shop)


def with_usual_nodes(output: str, kube: Kube) -> str:
    """Whatever they are called here; the longest first, since one's name may begin with another's."""
    for number, node in enumerate(sorted(kube.nodes(), key=len, reverse=True), 1):
        output = output.replace(node, f"node{number}")
    return output


def essence(output: str) -> list[str]:
    """Its words, without numbers, times, whoever of two equals is the first, and how many rows an epoch has."""
    quiet = ACCOUNT.sub("", DRIFT.sub("", SINCE.sub("", re.sub(r"LAST DEPLOYED: .*", "LAST DEPLOYED:", output))))
    alike = re.sub(r'"symbol": "\w+"', '"symbol": "#"', ROLES.sub("ROLE", NUMBER.sub("#", quiet)))
    return " ".join(dict.fromkeys(" ".join(line.split()) for line in alike.splitlines())).split()
