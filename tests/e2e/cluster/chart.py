"""Helm, as these tests use it: on the chart of this tree, with the cluster's own program.

Called by: tests of the chart and of its embedded store.
"""

import io
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import yaml

import chart_values
from cluster.programs import programs_folder
from tests.e2e.cluster.kube import Kube

CHART = chart_values.CHART
ROOT = CHART.parents[1]
CRD = "faulttoleranttopologies.levee.dev"
KIND = "faulttoleranttopology.levee.dev"  # as kubectl names one of them
RELEASE = "levee-by-chart"
TODAY, FORMERLY = "Where it is in its life.", "Where it was formerly."  # a line of the resource definition


def helm(*words: str | Path, kube: Kube | None = None) -> str:
    done = asked(*words, kube=kube)
    assert done.returncode == 0, f"helm {' '.join(map(str, words))}: {done.stderr}"
    return done.stdout


def asked(*words: str | Path, kube: Kube | None = None) -> "subprocess.CompletedProcess[str]":
    own = programs_folder() / "helm"
    program = own if own.exists() else shutil.which("helm") or "helm"
    where = [f"--kubeconfig={kube.kubeconfig}", f"--namespace={kube.namespace}"] if kube else ["--kube-version=1.34.0"]
    return subprocess.run([program, *words, *where], capture_output=True, text=True, check=False)


def settings(**values: str) -> list[str]:
    """`image__tag` for image.tag."""
    return [f"--set={name.replace('__', '.')}={value}" for name, value in values.items()]


IMAGES = settings(image__repository="localhost/levee/operator", image__tag="dev", image__pullPolicy="Never")
MADE_OF = ("helm/levee", "operator/levee", "spark_jobs/levee_spark")  # the chart, and what is in the images of operator and workers


def put(kube: Kube) -> list[str]:
    """Install or upgrade, for topologies of one namespace."""
    return ["upgrade", "--install", RELEASE, "--take-ownership", "--wait", "--timeout=3m", f"--set=watchNamespaces={{{kube.namespace}}}"]


def of_file(values: Path | None) -> list[str]:
    return [f"--values={values}"] if values else []


def rendered(*words: str) -> list[Any]:
    text = helm("template", RELEASE, CHART, "--namespace=system", *words)
    return [document for document in yaml.safe_load_all(text) if document]


def pod_specs(documents: list[Any]) -> list[Any]:
    return [document["spec"]["template"]["spec"] for document in documents if document["kind"] == "Deployment"]


def previous(folder: Path) -> Path:
    """The chart as it was one change ago, with an older resource definition, and beside it the code of that time; where no history is at
    hand, those of today, which is said."""
    git = ["git", "-C", str(ROOT)]
    changes = subprocess.run([*git, "log", "-2", "--format=%H", "--", "helm/levee"], capture_output=True, text=True, check=False)
    if re.fullmatch(r"\w+\n\w+\n", changes.stdout):
        archive = subprocess.run([*git, "archive", changes.stdout.split()[1], *MADE_OF], capture_output=True, check=True)
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as opened:
            opened.extractall(folder, filter="data")
    else:
        print(
            "No earlier chart is known here (git fetch --unshallow): today's is upgraded to itself, and to another definition.",
            file=sys.__stderr__,
        )
        for name in MADE_OF:
            shutil.copytree(ROOT / name, folder / name)
    chart = folder / "helm" / "levee"
    definition = chart / "files" / "crds" / f"{CRD}.yaml"
    text = definition.read_text(encoding="utf-8")
    assert TODAY in text
    definition.write_text(text.replace(TODAY, FORMERLY), encoding="utf-8")
    return chart
