"""Fetch jars with Ivy, the resolver that pyspark brings.

Why: Spark itself resolves its packages with it, so a machine that runs Levee needs no Maven; mirrors are set as for Spark:
LEVEE_IVY_SETTINGS names what is called `spark.jars.ivySettings` there.
Called by: install.
"""

import hashlib
import importlib.util
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from servers.cache import unfinished
from servers.commands import run
from servers.java import Java
from servers.pins import Jar, JarSet, parse_jar
from servers.trouble import ServerTrouble
from servers.trust import PASSWORD, write_trust_store

CENTRAL = (
    '<ivysettings><settings defaultResolver="central"/><resolvers><ibiblio name="central" m2compatible="true"/></resolvers></ivysettings>'
)
PATTERN = "[organisation]__[module]__[revision].[ext]"  # Jar.file_name, in Ivy's words


def fetch(jars: JarSet, java: Java, target: Path) -> None:
    with unfinished(target) as work:
        resolve(jars.pinned, java, work, work / target.name, transitive=False)
        if wrong := complaints(jars.pinned, work / target.name):
            raise ServerTrouble(f"The jars of {jars.name} are not those that are pinned:\n" + "\n".join(wrong))


def pin(jars: JarSet, java: Java, work: Path) -> list[str]:
    """The lines for pins.toml: what the roots need today."""
    resolve(jars.roots, java, work, work / "jars", transitive=jars.transitive)
    return [f"{parse_jar(path.stem.replace('__', ':'))} {sha256(path)}" for path in sorted((work / "jars").iterdir())]


def resolve(jars: Iterable[Jar], java: Java, work: Path, target: Path, *, transitive: bool) -> None:
    (work / "settings.xml").write_text(CENTRAL, encoding="utf-8")
    (work / "ivy.xml").write_text(ivy_file(jars, transitive=transitive), encoding="utf-8")
    settings = settings_file(work / "settings.xml", os.environ)
    files: list[str | Path] = ["-settings", settings, "-cache", work / "cache", "-ivy", work / "ivy.xml"]
    run([java.program, *trusting(java, work), "-jar", ivy_jar(), *files, "-retrieve", target / PATTERN])


def settings_file(default: Path, environment: Mapping[str, str]) -> Path:
    return Path(environment.get("LEVEE_IVY_SETTINGS", default))


def ivy_jar() -> Path:
    spark = importlib.util.find_spec("pyspark")
    found = sorted((Path(spark.origin).parent / "jars").glob("ivy-*.jar")) if spark and spark.origin else []
    if not found:
        raise ServerTrouble("pyspark, whose Ivy fetches the jars, is not installed here: run `make venv`.")
    return found[-1]


def trusting(java: Java, work: Path) -> Sequence[str]:
    if not java.carried:
        return ()
    write_trust_store(work / "trusted.jks")
    return (f"-Djavax.net.ssl.trustStore={work / 'trusted.jks'}", f"-Djavax.net.ssl.trustStorePassword={PASSWORD}")


def ivy_file(jars: Iterable[Jar], *, transitive: bool) -> str:
    wanted = "default->master,runtime" if transitive else "default->master"
    rows = "".join(
        f"<dependency org={quoteattr(jar.group)} name={quoteattr(jar.artifact)} rev={quoteattr(jar.version)} conf={quoteattr(wanted)}/>"
        for jar in jars
    )
    head = '<info organisation="levee" module="servers"/><configurations><conf name="default"/></configurations>'
    return f'<ivy-module version="2.0">{head}<dependencies>{rows}</dependencies></ivy-module>'


def complaints(pinned: Iterable[Jar], folder: Path) -> list[str]:
    return [f"  {jar}: {wrong}" for jar in pinned if (wrong := what_is_wrong(jar, folder / jar.file_name))]


def what_is_wrong(jar: Jar, path: Path) -> str:
    if not path.exists():
        return "was not served"
    found = sha256(path)
    return "" if found == jar.sha256 else f"has sha256 {found}, but {jar.sha256} is pinned: do not use what was served"


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
