"""Runs a role to its end: the store's requests go to a driver, waits to a waiter, everything else to whoever does the work.

Why: what a role is told must not depend on who runs it; workers, the command line and tests all run roles with this loop.
Called by: replica threads of workers; the command line, for scripts that only read and write.
"""

from collections.abc import Callable

from levee_spark.log.requests import Answer, Delete, Get, List, Overwrite, PutIfAbsent, Request, Script, T, Wait
from levee_spark.store.driver import StoreDriver
from levee_spark.store.wake import Waiter


def unexpected(request: Request) -> Answer:
    raise TypeError(f"{request}: this script has nobody to do such work")


class Stopped(Exception):
    """Somebody called `stop` of the waiter: the role was left where it stood, which is safe anywhere."""


def drive(script: Script[T], driver: StoreDriver, waiter: Waiter | None = None, work: Callable[[Request], Answer] = unexpected) -> T:
    waiter = waiter or driver.waiter()
    try:
        request = next(script)
        while not waiter.stopped:
            request = script.send(respond(request, driver, waiter, work))
    except StopIteration as end:
        value: T = end.value
        return value
    script.close()
    raise Stopped


def respond(request: Request, driver: StoreDriver, waiter: Waiter, work: Callable[[Request], Answer]) -> Answer:
    match request:
        case Wait():
            return waiter.wait(request)
        case Get() | PutIfAbsent() | Overwrite() | List() | Delete():
            return driver.answer(request)
        case _:
            return work(request)
