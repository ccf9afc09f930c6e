"""What the operator's release says of experiments.

Called by: app, when it begins; ground.
"""

import os
from dataclasses import dataclass

from levee.experiments.checks.around import Permits

ACCOUNTS = "levee-chaos"


@dataclass(frozen=True, slots=True)
class Release:
    permits: Permits
    image: str = ""
    account: str = ACCOUNTS  # how the names of the service accounts begin
    helpers: str = ""  # the namespace in which privileged pods may be made

    @staticmethod
    def read() -> "Release":
        """From the environment, as the chart sets it. Without an image, no experiment is done."""
        image = os.environ.get("LEVEE_CHAOS_IMAGE", "")
        namespaces = tuple(filter(None, os.environ.get("LEVEE_CHAOS_NAMESPACES", "").split(",")))
        permits = Permits(bool(image), namespaces, bool(os.environ.get("LEVEE_CHAOS_PRIVILEGED")))
        accounts = os.environ.get("LEVEE_CHAOS_SERVICE_ACCOUNTS") or ACCOUNTS
        return Release(permits, image, accounts, os.environ.get("LEVEE_CHAOS_HELPERS", ""))
