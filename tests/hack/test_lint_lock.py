from lint_lock import check

PYPROJECT = """
[build-system]
requires = ["setuptools>=77"]
[project]
dependencies = ["PyYAML>=6"]
[project.optional-dependencies]
dev = ["ruff>=0.11"]
operator = ["kopf"]
spark = ["pyspark"]
chaos = ["chaostoolkit"]
"""
HASH = " \\\n    --hash=sha256:00ff\n"
LOCK = f"chaostoolkit==1.19.0{HASH}kopf==1.45.2{HASH}pyspark==4.3.0{HASH}pyyaml==6.0.3{HASH}ruff==0.17.5{HASH}setuptools==84.2.1{HASH}"


def test_a_lock_with_all_that_is_asked_for_is_fine() -> None:
    assert check(PYPROJECT, LOCK) == []


def test_a_dependency_that_is_not_in_the_lock_is_reported() -> None:
    assert check(PYPROJECT, LOCK.replace("ruff==", "rough==")) == [
        "requirements.lock: ruff is not in it, though pyproject.toml asks for it: run `make lock`"
    ]


def test_a_pin_that_the_specifier_refuses_is_reported() -> None:
    assert check(PYPROJECT.replace("PyYAML>=6", "PyYAML>=7"), LOCK) == [
        "requirements.lock: PyYAML==6.0.3 is not what pyproject.toml asks for (>=7): run `make lock`"
    ]


def test_a_pin_without_a_hash_is_reported() -> None:
    (complaint,) = check(PYPROJECT, LOCK.replace(f"ruff==0.17.5{HASH}", "ruff==0.17.5\n"))
    assert complaint.startswith("requirements.lock: ruff has no hash")


def test_a_place_to_install_from_is_reported() -> None:
    assert check(PYPROJECT, "--index-url https://example.org/simple\n" + LOCK) == [
        "requirements.lock:1: names a place to install from; take the line out"
    ]
