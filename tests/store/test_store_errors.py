"""What a store's error says to people."""

from levee_spark.store.address import remedy
from levee_spark.store.remote import first_lines

DENIED = """Generic S3 error: Error performing GET http://127.0.0.1:7070/levee in 2ms - Server returned non-2xx status code: 403: \
<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>SignatureDoesNotMatch</Code><Message>The request signature we calculated does not match.</Message>
<AWSAccessKeyId>levee</AWSAccessKeyId><StringToSign>AWS4-HMAC-SHA256 20261119</StringToSign>
<StringToSignBytes>41 57 53</StringToSignBytes><Resource></Resource></Error>

Debug source:
Generic { store: "S3" }"""
NO_KEY = "Generic S3 error: Error performing PUT http://169.254.169.254/latest/api/token in 3 s - Server returned non-2xx status code: 403"


def test_of_a_document_what_it_says_is_left_and_what_to_do_still_follows_from_it() -> None:
    told = first_lines(ValueError(DENIED))
    assert told.endswith("403: SignatureDoesNotMatch: The request signature we calculated does not match.")
    assert "StringToSign" not in told
    assert "mend the access key" in remedy(told)


def test_what_is_no_document_stays_as_it_is() -> None:
    assert first_lines(ValueError("connection refused")) == "connection refused"
    assert first_lines(ValueError("")) == "ValueError"


def test_where_no_key_was_given_that_is_what_is_told() -> None:
    assert "give credentials" in remedy(NO_KEY)
