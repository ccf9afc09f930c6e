"""A topology that names a cluster's secret, run on this machine: its keys come from the environment, or it is told."""

import pytest

from levee.cli.local.runnable import unread_secret
from levee.topology.wanted import Store


def store(uri: str, secret: str | None = "levee-store") -> Store:  # noqa: S107  (the name of one)
    return Store(uri=uri, secret=secret)


@pytest.mark.parametrize(("uri", "name"), [("s3://b/p", "AWS_ACCESS_KEY_ID"), ("gs://b", "GOOGLE_SERVICE_ACCOUNT"), ("az://a/c", "AZURE_")])
def test_a_secret_of_a_cluster_is_refused_with_the_variables_to_set(uri: str, name: str) -> None:
    complaint = unread_secret(store(uri), {"PATH": "/bin"})
    assert complaint is not None
    assert (complaint.where, "'levee-store'" in complaint.wrong, name in complaint.fix) == ("spec.store.secret", True, True)


def test_variables_of_the_environment_stand_for_it() -> None:
    assert unread_secret(store("s3://b/p"), {"AWS_ACCESS_KEY_ID": "k"}) is None
    assert unread_secret(store("s3://b/p"), {"AWS_ACCESS_KEY_ID": "", "AZURE_X": "y"}) is not None


@pytest.mark.parametrize("name", ["AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI"])
def test_what_says_who_one_is_will_do(name: str) -> None:
    assert unread_secret(store("s3://b/p"), {name: "x"}) is None


@pytest.mark.parametrize("name", ["AWS_CA_BUNDLE", "AWS_REGION", "AWS_ENDPOINT_URL", "AWS_PROFILE"])
def test_what_says_only_where_the_store_is_or_is_not_understood_will_not(name: str) -> None:
    assert unread_secret(store("s3://b/p"), {name: "x"}) is not None


def test_a_directory_needs_none_and_a_bucket_may_do_without() -> None:
    assert unread_secret(store("file:///tmp/x"), {}) is None
    assert unread_secret(store("s3://b/p", None), {}) is None
