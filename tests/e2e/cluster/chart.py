"""Helm, as these tests use it: on the chart of this tree, with the cluster's own program.

Called by: tests of the chart and of its embedded store.
"""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import yaml

import chart_values
from cluster.programs import programs_folder
from tests.e2e.cluster.kube import Kube

CHART = chart_values.CHART
CRD = "faulttoleranttopologies.levee.dev"
RELEASE = "levee-by-chart"


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


def of_file(values: Path | None) -> list[str]:
    return [f"--values={values}"] if values else []


def rendered(*words: str) -> list[Any]:
    text = helm("template", RELEASE, CHART, "--namespace=system", *words)
    return [document for document in yaml.safe_load_all(text) if document]


def pod_specs(documents: list[Any]) -> list[Any]:
    return [document["spec"]["template"]["spec"] for document in documents if document["kind"] == "Deployment"]
