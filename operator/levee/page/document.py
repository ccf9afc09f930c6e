"""The page as one file: the shipped HTML with a picture in it, and the policy that lets it run nothing else.

Why: the file is the same whether it is served, written by `levee page` or saved by a browser, so it must work alone. The picture is text of
an element, where HTML needs three characters escaped; in a script it could end the script.
Called by: serving, `levee page`.
"""

import base64
import hashlib
import html
import json
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

POLICY, PICTURE = "{{policy}}", "{{picture}}"  # where they go, in this order


@dataclass(frozen=True, slots=True)
class Shipped:
    """The file in the three parts around the policy and the picture."""

    parts: tuple[str, str, str]
    policy: str  # of contents, for a browser


def page(picture: Mapping[str, Any]) -> bytes:
    found = shipped()
    before, between, after = found.parts
    return f"{before}{html.escape(found.policy)}{between}{html.escape(as_json(picture))}{after}".encode()


def as_json(picture: Mapping[str, Any]) -> str:
    return json.dumps(picture, separators=(",", ":"), allow_nan=False)


@cache
def shipped() -> Shipped:
    data = pkgutil.get_data(__package__, "page.html")
    assert data is not None
    text = data.decode()
    before, _, rest = text.partition(POLICY)
    between, _, after = rest.partition(PICTURE)
    return Shipped((before, between, after), policy_of(text))


def policy_of(text: str) -> str:
    """Its own style and script by their hashes, questions to where it comes from, and nothing else; no text may become code."""
    allowed = {
        "default-src": "'none'",
        "script-src": hash_of(inner(text, "script")),
        "style-src": hash_of(inner(text, "style")),
        "connect-src": "'self'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in allowed.items())


def inner(text: str, tag: str) -> str:
    return text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]


def hash_of(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
