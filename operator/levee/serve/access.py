"""The way to one topology's store, with the one Secret that the topology names.

Why: an address may be wrong and a Secret missing, and both are told, and waited for; what was opened is kept.
Called by: ground and what stands on it.
"""

import base64
from dataclasses import dataclass

from levee.lifecycle.handlers import NotYet
from levee.serve.shop import Shop
from levee.topology.spec import Resource
from levee.topology.wording import complaint_text
from levee.worlds.kubernetes.names import Owner
from levee_spark.store.address import CannotOpen, open_store
from levee_spark.store.driver import StoreDriver


@dataclass(slots=True)
class Access:
    shop: Shop
    owner: Owner
    driver: StoreDriver | None = None

    def open(self, resource: Resource) -> StoreDriver:
        return self.open_at(resource.spec.store.uri, resource.spec.store.secret)

    def open_at(self, uri: str, secret: str | None) -> StoreDriver:
        if self.driver is None:
            try:
                blobs = open_store(uri, secret=self.secret(secret))
            except CannotOpen as wrong:
                raise NotYet(f"the store cannot be used: {complaint_text(wrong.complaint)}") from None
            self.driver = StoreDriver(blobs)
        return self.driver

    def secret(self, name: str | None) -> dict[str, str]:
        """The one that the topology names; never logged, never kept."""
        if name is None:
            return {}
        found = self.shop.api.get(f"/api/v1/namespaces/{self.owner.namespace}/secrets/{name}")
        if found is None:
            raise NotYet(f"spec.store.secret names '{name}', and there is no such Secret in namespace {self.owner.namespace}")
        return {key: base64.b64decode(value).decode() for key, value in (found.get("data") or {}).items()}

    def close(self) -> None:
        if self.driver is not None:
            self.driver.close()
