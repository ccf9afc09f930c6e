"""Write the certificates that Python trusts as a Java key store.

Why: a Java from a wheel knows the public authorities only, and behind a company's own authority it could fetch nothing.
Called by: ivy, for a Java that a wheel carries.
"""

import hashlib
import ssl
import struct
from collections.abc import Sequence
from pathlib import Path

PASSWORD = "changeit"  # noqa: S105 - Java's own default; the certificates are public
MAGIC, VERSION, CERTIFICATE = 0xFEEDFEED, 2, 2


def write_trust_store(path: Path) -> None:
    path.write_bytes(key_store(ssl.create_default_context().get_ca_certs(binary_form=True)))


def key_store(certificates: Sequence[bytes]) -> bytes:
    """Java's JKS format: entries, then a digest that is salted with the password and the words below."""
    head = struct.pack(">III", MAGIC, VERSION, len(certificates))
    body = head + b"".join(entry(f"authority-{number}", certificate) for number, certificate in enumerate(certificates))
    salted = PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite" + body
    return body + hashlib.sha1(salted, usedforsecurity=False).digest()


def entry(alias: str, certificate: bytes) -> bytes:
    created_ms = 0
    return (
        struct.pack(">I", CERTIFICATE)
        + text(alias)
        + struct.pack(">Q", created_ms)
        + text("X.509")
        + struct.pack(">I", len(certificate))
        + certificate
    )


def text(value: str) -> bytes:
    return struct.pack(">H", len(value)) + value.encode("ascii")
