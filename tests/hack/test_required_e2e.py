"""A test that needs a server and has none is skipped on a laptop and fails in CI."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
ONE_TEST = """
import pytest

@pytest.mark.e2e
def test_needs_a_server():
    pytest.skip("there is no server")

def test_is_skipped_for_another_reason():
    pytest.skip("wrong platform")

@pytest.mark.e2e
@pytest.mark.xfail
def test_is_known_to_fail():
    assert False
"""
WHOLE_FILE = "import pytest\npytest.skip('there is no package', allow_module_level=True)\n"


def run(folder: Path, text: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    shutil.copy(CONFTEST, folder / "conftest.py")
    (folder / "test_it.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = e2e\n")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("LEVEE_", "PYTEST_"))}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-ra", "."]
    return subprocess.run(command, cwd=folder, env={**inherited, **environment}, capture_output=True, text=True, check=False)


def test_without_its_server_a_test_is_skipped_with_the_reason(tmp_path: Path) -> None:
    done = run(tmp_path, ONE_TEST, {})
    assert done.returncode == 0
    assert "there is no server" in done.stdout


def test_where_servers_are_required_that_is_a_failure_with_the_reason(tmp_path: Path) -> None:
    done = run(tmp_path, ONE_TEST, {"LEVEE_E2E": "required"})
    assert done.returncode == 1
    for reason in ("there is no server", "wrong platform"):
        assert f"It could not run, and here it has to. Skipped: {reason}" in done.stdout
    assert "2 failed, 1 xfailed" in done.stdout


@pytest.mark.parametrize(("environment", "code"), [({}, 5), ({"LEVEE_E2E": "required"}, 2)])
def test_a_file_that_skips_itself_is_no_way_out(tmp_path: Path, environment: dict[str, str], code: int) -> None:
    done = run(tmp_path, WHOLE_FILE, environment)
    assert done.returncode == code
    assert "there is no package" in done.stdout
