"""The way to one topology's store, with the one Secret that the topology names.

Why: an address may be wrong and a Secret missing, and both are told, and waited for; what was opened is kept, until the store refuses it
and the Secret is another one.
Called by: ground and what stands on it.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from levee.lifecycle.handlers import NotYet
from levee.serve.renewing import Opened, RenewingBlobs, StillClosed
from levee.serve.shop import Shop
from levee.topology.spec import Resource
from levee.topology.wording import complaint_text
from levee.worlds.kubernetes import embedded
from levee.worlds.kubernetes.api import Conflict, Denied, Object, Unreachable
from levee.worlds.kubernetes.names import Owner
from levee_spark.store.address import CannotOpen, open_store, works
from levee_spark.store.blobs import Blobs
from levee_spark.store.driver import StoreDriver


@dataclass(slots=True)
class Access:
    shop: Shop
    owner: Owner
    driver: StoreDriver | None = None
    embedded: bool = False  # what was opened is the store that the chart brings

    def open(self, resource: Resource) -> StoreDriver:
        return self.open_at(resource.spec.store.uri, resource.spec.store.secret)

    def open_at(self, uri: str, secret: str | None) -> StoreDriver:
        if self.driver is None:
            try:
                blobs = open_store(uri, check=False) if secret is None else self.renewing(uri, secret)
                self.driver = StoreDriver(works(blobs, writes=False))  # that it can be written is tried where streams are mapped
            except CannotOpen as wrong:
                raise NotYet(f"the store cannot be used: {complaint_text(wrong.complaint)}") from None
        return self.driver

    def renewing(self, uri: str, secret: str) -> Blobs:
        opened = self.opened(uri, self.secret(secret))
        return RenewingBlobs(opened, partial(self.reopen, uri, secret), self.shop.now)

    def opened(self, uri: str, secret: Object) -> Opened:
        told = contents(secret)
        blobs = open_store(uri, secret=told, check=False)
        self.embedded = embedded.is_at(self.shop.embedded_store, told)
        return Opened(blobs, version(secret))

    def reopen(self, uri: str, secret: str, before: str) -> Opened | None:
        """From the Secret as it is now, if it is another one."""
        try:
            found = self.secret(secret)
            return self.opened(uri, found) if version(found) != before else None
        except CannotOpen as wrong:
            raise StillClosed(complaint_text(wrong.complaint)) from None
        except (NotYet, Unreachable, Conflict, Denied) as why:
            raise StillClosed(str(why)) from None
        except ValueError as wrong:
            raise StillClosed(f"Secret {secret} holds what is no text: {type(wrong).__name__}") from None

    def secret(self, name: str) -> Object:
        """The one that the topology names; what is in it is never logged, never kept."""
        found = self.shop.api.get(f"/api/v1/namespaces/{self.owner.namespace}/secrets/{name}")
        if found is None:
            raise NotYet(f"spec.store.secret names '{name}', and there is no such Secret in namespace {self.owner.namespace}")
        return found

    def close(self) -> None:
        if self.driver is not None:
            self.driver.close()


def contents(secret: Mapping[str, Any]) -> dict[str, str]:
    return {key: base64.b64decode(value).decode() for key, value in (secret.get("data") or {}).items()}


def version(secret: Mapping[str, Any]) -> str:
    """Also of one that was deleted and made again."""
    return f"{secret['metadata']['uid']} {secret['metadata']['resourceVersion']}"
