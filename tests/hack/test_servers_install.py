"""Installing real servers: what is pinned is what is used, and nothing half done is taken for whole."""

import base64
import hashlib
import io
import re
import ssl
import struct
import tarfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from servers import golang, install, ivy, java, npm, trust
from servers.cache import cache_folder, clear_unfinished, unfinished
from servers.pins import Browser, Jar, JarSet, Program, parse_jar, read_pins
from servers.trouble import ServerTrouble

PINS = read_pins()
PROGRAM = Program("proxy", "example.org/proxy", "v1.0.0", "cmd/proxy", "h1:right=")
FAKE_GO = """#!/bin/sh
echo "$*" >> {log}
case "$*" in
  *download*) echo '{{"Sum": "h1:right=", "Dir": "{modules}"}}' ;;
  *build*) cp "$2"/go.mod "$(dirname "$2")"/proxy ;;
esac
"""
CONTENT = b"a jar"
JAR = Jar("org.example", "thing", "1.0", hashlib.sha256(CONTENT).hexdigest())


@pytest.mark.parametrize("jars", PINS.jars.values(), ids=lambda jars: jars.name)
def test_every_jar_is_pinned_by_checksum_and_every_root_is_among_them(jars: JarSet) -> None:
    assert all(re.fullmatch("[0-9a-f]{64}", jar.sha256) for jar in jars.pinned)
    assert set(map(str, jars.roots)) <= set(map(str, jars.pinned))
    assert len({(jar.group, jar.artifact) for jar in jars.pinned}) == len(jars.pinned)


@pytest.mark.parametrize("program", PINS.programs.values(), ids=lambda program: program.name)
def test_every_program_is_pinned_by_version_and_sum(program: Program) -> None:
    assert re.match(r"v\d", program.version)
    assert re.fullmatch(r"h1:.{43}=", program.sum)


@pytest.mark.parametrize("browser", PINS.browsers.values(), ids=lambda browser: browser.name)
def test_every_browser_is_pinned_by_version_and_integrity(browser: Browser) -> None:
    assert re.match(r"\d", browser.version)
    assert re.fullmatch(r"sha512-.{86}==", browser.integrity)


def test_what_is_usually_installed_is_pinned() -> None:
    assert set(install.USUAL) <= set(install.names(PINS))


def test_another_pin_is_another_place_in_the_cache() -> None:
    one = JarSet("set", (), transitive=True, pinned=(JAR,))
    other = JarSet("set", (), transitive=True, pinned=(parse_jar(f"{JAR} {'0' * 64}"),))
    assert one.folder_name != other.folder_name
    assert one.folder_name == JarSet("set", (JAR,), transitive=False, pinned=(JAR,)).folder_name


def test_a_jar_reads_back_as_it_is_written() -> None:
    assert parse_jar(f"{JAR} {JAR.sha256}") == JAR


@pytest.mark.parametrize(
    ("version", "enough"),
    [("go1.25.0", True), ("go1.26.8 X:nodwarf5", True), ("go1.24.11", False), ("go1.9", False), ("devel go1.30-abc", False), ("", False)],
)
def test_only_a_go_that_is_new_enough_is_used(version: str, enough: bool) -> None:
    assert golang.new_enough(version, "1.25.0") is enough


@pytest.mark.parametrize(
    ("text", "major"),
    [('openjdk version "17.0.15" 2025-04-15', 17), ('java version "1.8.0_402"', 8), ('openjdk version "25"', 25), ("no such command", 0)],
)
def test_the_version_of_a_java_is_read_from_what_it_says(text: str, major: int) -> None:
    assert java.major_version(text) == major


def test_a_java_home_that_is_not_there_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java.find_java(0).program == tmp_path / "bin" / "java"  # it would be first
    assert java.version_text(tmp_path / "bin" / "java") == ""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ServerTrouble, match="No Java 17 or newer"):
        java.find_java(17)


def test_a_module_with_another_sum_is_refused() -> None:
    golang.check_sum(PROGRAM, '{"Sum": "h1:right="}')
    with pytest.raises(ServerTrouble, match="h1:wrong=, but h1:right= is pinned"):
        golang.check_sum(PROGRAM, '{"Sum": "h1:wrong="}')


def fake_go(folder: Path) -> Path:
    go = folder / "go"
    go.write_text(FAKE_GO.format(log=folder / "log", modules=folder / "modules"), encoding="utf-8")
    go.chmod(0o755)
    return go


def test_of_a_module_a_folder_can_be_had_as_it_is_if_the_module_is_the_one_that_is_pinned(tmp_path: Path) -> None:
    (tmp_path / "modules" / "cmd" / "proxy").mkdir(parents=True)
    (tmp_path / "modules" / "cmd" / "proxy" / "one.yaml").write_text("kind: One")
    go, target = fake_go(tmp_path), tmp_path / "proxy-v1.0.0"
    with pytest.raises(ServerTrouble, match="but h1:other= is pinned"):
        golang.copy(replace(PROGRAM, sum="h1:other="), go, target, tmp_path / "shared")
    assert not target.exists()
    golang.copy(PROGRAM, go, target, tmp_path / "shared")
    assert [one.name for one in target.iterdir()] == ["one.yaml"]


def test_a_program_is_built_with_its_tags_in_a_module_that_needs_nothing_else(tmp_path: Path) -> None:
    """What a module replaces in others, `go install` would not have."""
    go = fake_go(tmp_path)
    golang.build(replace(PROGRAM, tags=("small", "static")), go, tmp_path / "programs" / "proxy", tmp_path / "shared")
    downloaded, fetched, built = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert downloaded.endswith("example.org/proxy@v1.0.0")
    assert fetched.endswith("get example.org/proxy/cmd/proxy@v1.0.0")
    assert "-tags small,static" in built
    assert (tmp_path / "programs" / "proxy").read_text(encoding="utf-8") == "module servers\n"


def test_jars_that_are_missing_or_differ_are_all_named(tmp_path: Path) -> None:
    (tmp_path / JAR.file_name).write_bytes(CONTENT)
    other = Jar("org.example", "other", "2.0", "0" * 64)
    missing = Jar("org.example", "missing", "3.0", "0" * 64)
    (tmp_path / other.file_name).write_bytes(b"something else")
    assert ivy.complaints((JAR,), tmp_path) == []
    differs, absent = ivy.complaints((JAR, other, missing), tmp_path)
    assert "org.example:other:2.0: has sha256" in differs
    assert absent == "  org.example:missing:3.0: was not served"


def packed(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in files.items():
            one = tarfile.TarInfo(name)
            one.size = len(content)
            archive.addfile(one, io.BytesIO(content))
    return out.getvalue()


def programs(folder: Path, served: bytes) -> Path:
    """An npm that has one package, and a Node whose Brotli changes nothing."""
    (folder / "served.tgz").write_bytes(served)
    for name, command in {"npm": f'cp {folder}/served.tgz "$4"/it.tgz', "node": 'cp "$3" "$4"'}.items():
        (folder / name).write_text(f"#!/bin/sh\n{command}\n")
        (folder / name).chmod(0o755)
    return folder


def test_a_browser_is_unpacked_with_the_libraries_that_it_brings(tmp_path: Path) -> None:
    libraries = packed({"lib/libnss3.so": b"library"})
    served = packed({"package/bin/chromium.br": b"program", "package/bin/x64/al2023.tar.br": libraries, "package/index.js": b""})
    integrity = f"sha512-{base64.b64encode(hashlib.sha512(served).digest()).decode()}"
    browser = Browser("chromium", "@example/chromium", "1.0.0", integrity)
    npm.fetch(browser, programs(tmp_path, served), tmp_path / "browsers" / browser.folder_name)
    place = tmp_path / "browsers" / "chromium-1.0.0"
    assert sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()) == ["chromium", "lib/libnss3.so"]
    assert (place / "chromium").read_bytes() == b"program"
    assert (place / "chromium").stat().st_mode & 0o111


def test_an_npm_that_node_carries_along_is_run_by_that_node(tmp_path: Path) -> None:
    assert npm.npm(tmp_path / "bin") == ["npm"]
    script = tmp_path / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    script.parent.mkdir(parents=True)
    script.touch()
    assert npm.npm(tmp_path / "bin") == [tmp_path / "bin" / "node", script]


def test_a_browser_with_another_integrity_is_refused(tmp_path: Path) -> None:
    browser = Browser("chromium", "@example/chromium", "1.0.0", "sha512-other")
    with pytest.raises(ServerTrouble, match=r"@example/chromium@1\.0\.0 has the integrity sha512-.*, but sha512-other is pinned"):
        npm.fetch(browser, programs(tmp_path, packed({})), tmp_path / "browsers" / "it")
    assert list((tmp_path / "browsers").iterdir()) == []


@pytest.mark.parametrize(("says", "number"), [("v24.11.0", 24), ("v8.1", 8), ("", 0), ("no such thing", 0)])
def test_the_version_of_a_node_is_read_from_what_it_says(tmp_path: Path, says: str, number: int) -> None:
    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\necho '{says}'\n")
    node.chmod(0o755)
    assert npm.major(node) == number


def test_mirrors_are_named_as_for_spark(tmp_path: Path) -> None:
    assert ivy.settings_file(tmp_path, {}) == tmp_path
    assert ivy.settings_file(tmp_path, {"LEVEE_IVY_SETTINGS": "/etc/ivy.xml"}) == Path("/etc/ivy.xml")


def test_the_cache_is_where_the_environment_says() -> None:
    assert cache_folder({}) == Path.home() / ".cache" / "levee" / "servers"
    assert cache_folder({"LEVEE_CACHE": "/big/disk"}) == Path("/big/disk/servers")


def test_an_installation_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    target = tmp_path / "programs" / "proxy"
    with pytest.raises(FileNotFoundError), unfinished(target) as work:
        (work / "half").write_text("of it")
    assert list(target.parent.iterdir()) == []


def test_an_installation_that_was_killed_is_cleared_by_the_next(tmp_path: Path) -> None:
    (tmp_path / "programs" / ".unfinished-x" / "objects").mkdir(parents=True)
    (tmp_path / "programs" / "proxy-v1").touch()
    clear_unfinished(tmp_path)
    assert [path.name for path in (tmp_path / "programs").iterdir()] == ["proxy-v1"]


def test_what_is_there_is_not_installed_again(tmp_path: Path) -> None:
    for name in install.USUAL:
        path = install.path_of(name, PINS, tmp_path)
        path.mkdir(parents=True)
    install.install(install.USUAL, tmp_path)
    assert not (tmp_path / ".lock").exists()


def test_a_server_that_is_not_installed_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LEVEE_CACHE", str(tmp_path))
    with pytest.raises(ServerTrouble, match=r"versitygw is not installed: run `make servers`\."):
        install.installed("versitygw")
    with pytest.raises(ServerTrouble, match="run `make servers ARGS='install minio'`"):
        install.installed("minio")


def test_a_key_store_for_java_ends_in_the_digest_that_java_checks() -> None:
    certificates = [b"first", b"second one"]
    store = trust.key_store(certificates)
    assert struct.unpack(">III", store[:12]) == (0xFEEDFEED, 2, 2)
    salted = trust.PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite" + store[:-20]
    assert store[-20:] == hashlib.sha1(salted, usedforsecurity=False).digest()
    assert all(certificate in store for certificate in certificates)


def test_the_key_store_holds_what_python_trusts(tmp_path: Path) -> None:
    trust.write_trust_store(tmp_path / "trusted.jks")
    trusted = ssl.create_default_context().get_ca_certs(binary_form=True)
    assert (tmp_path / "trusted.jks").read_bytes() == trust.key_store(trusted)
