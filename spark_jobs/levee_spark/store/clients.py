"""The clients of buckets, each made once for all who use it now.

Why: to make one takes milliseconds in which nothing else of this process runs, and each has connections of its own; an operator has
hundreds of topologies in one bucket.
Called by: address.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from weakref import WeakValueDictionary

from obstore.store import ObjectStore


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Client:
    store: ObjectStore


_in_use: "WeakValueDictionary[bytes, Client]" = WeakValueDictionary()  # who is used no more takes its keys along
_lock = Lock()


def shared(told: object, make: Callable[[], ObjectStore]) -> Client:
    """`told`: all that it is made of; what is secret of it is not kept here."""
    name = blake2b(repr(told).encode()).digest()
    with _lock:
        client = _in_use.get(name)
        if client is None:
            _in_use[name] = client = Client(make())
        return client
