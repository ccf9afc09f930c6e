"""What all tests of the operator assume of the streams, which no worker writes here.

Called by: pytest.
"""

import pytest

from levee.worlds.local.book import Book


@pytest.fixture(autouse=True)
def _tasks_publish_where_they_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Book, "unpublished", lambda *_: frozenset())
