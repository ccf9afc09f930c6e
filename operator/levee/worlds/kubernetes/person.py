"""The API server as a person reaches it: by kubeconfig and context, with that person's rights, from wherever that person is.

Why: who looks at a topology from outside has neither the operator's identity nor its network; what can be reached is the API server, and
pods through it.
Called by: the command line's `kubectl levee`.
"""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from kubernetes import config
from kubernetes.client import ApiClient, Configuration
from kubernetes.config.kube_config import KubeConfigMerger

from levee.worlds.kubernetes.api import Api, Denied, Unreachable
from levee.worlds.kubernetes.pods import PORT

FILE = "~/.kube/config"
OWN_NAMESPACE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
PROXY_TIMEOUT_S, AT_ONCE = 4.0, 16


class NoConfig(Exception):
    """It is not said which cluster is meant; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Reached:
    api: Api
    namespace: str
    server: str
    context: str | None = None  # of the kubeconfig; None: as the pod that it runs in

    def close(self) -> None:
        self.api.client.rest_client.pool_manager.clear()


def reach(kubeconfig: str | None, context: str | None, namespace: str | None) -> Reached:
    """As kubectl finds its cluster: by the flag, by KUBECONFIG, in the home, or as the pod that it runs in."""
    file = kubeconfig or os.environ.get("KUBECONFIG") or FILE
    settings = Configuration()
    there = any(Path(one).expanduser().is_file() for one in file.split(os.pathsep) if one)
    try:
        name: str | None = None
        if not there and not kubeconfig and not context and OWN_NAMESPACE.exists():
            config.load_incluster_config(client_configuration=settings)
            chosen = OWN_NAMESPACE.read_text().strip()
        elif not there:
            raise NoConfig(f"there is no kubeconfig at {file}; name one by --kubeconfig or KUBECONFIG")
        else:
            name, chosen = context_of(KubeConfigMerger(file).config.value, context, file)
            config.load_kube_config(file, context=context, client_configuration=settings, persist_config=False)
    except (config.ConfigException, yaml.YAMLError, OSError, TypeError, AttributeError, KeyError) as wrong:  # YAML, but no kubeconfig
        raise NoConfig(f"the kubeconfig at {file} cannot be used: {first_line(wrong)}; see kubectl config view") from None
    settings.retries = False
    settings.connection_pool_maxsize = AT_ONCE
    return Reached(Api(ApiClient(settings), lambda _verb, _answer: None), namespace or chosen, str(settings.host), name)


def context_of(told: Mapping[str, Any], context: str | None, file: str) -> tuple[str, str]:
    """And its namespace, as kubectl has it."""
    contexts = {one.value["name"]: one.value["context"] for one in told.get("contexts") or ()}
    name = context or told.get("current-context")
    if name not in contexts:
        which = f"has no context '{name}'" if name else "has no current context"
        raise NoConfig(f"the kubeconfig at {file} {which}; see kubectl config get-contexts")
    return str(name), str(contexts[name].get("namespace") or "default")


def first_line(wrong: BaseException) -> str:
    return " ".join(str(wrong).split())[:300]


def states(reached: Reached, pods: Sequence[str]) -> dict[str, Mapping[str, Any] | Unreachable | Denied]:
    return answers(reached, pods, "state")


def answers(reached: Reached, pods: Sequence[str], what: str) -> dict[str, Mapping[str, Any] | Unreachable | Denied]:
    """What the workers in these pods say of themselves, or why they could not be asked; through the API server."""

    def ask(pod: str) -> Mapping[str, Any] | Unreachable | Denied:
        path = f"/api/v1/namespaces/{reached.namespace}/pods/{pod}:{PORT}/proxy/{what}"
        try:
            return reached.api.ask("GET", path, timeout_s=PROXY_TIMEOUT_S)
        except (Unreachable, Denied) as wrong:
            return wrong
        except ValueError:
            return Unreachable(f"{pod} answers something else than a worker does")

    if not pods:
        return {}
    with ThreadPoolExecutor(min(AT_ONCE, len(pods))) as pool:
        return dict(zip(pods, pool.map(ask, pods), strict=True))
