"""Records survive the way to bytes and back, and nothing else is taken for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import codec
from levee_spark.log.values import (
    Anchor,
    ChangeEpoch,
    CheckpointFile,
    ControlRecord,
    Damage,
    EpochObject,
    Floor,
    Kind,
    Live,
    Manifest,
    Pin,
    Probe,
    PublishedCheckpoint,
    Record,
    Segment,
    Shape,
    Verdict,
)

numbers = st.integers(0, 10**12)
texts = st.text(max_size=12)
payloads = st.none() | st.binary(max_size=40) | st.lists(st.binary(max_size=9), max_size=3).map(tuple)
manifests = st.builds(
    Manifest,
    numbers,
    st.sampled_from(Kind),
    numbers,
    texts,
    texts,
    numbers,
    texts,
    numbers,
    st.lists(st.tuples(texts.map(TaskId), numbers), max_size=3).map(tuple),
    st.none() | texts,
    st.booleans(),
    st.lists(texts, max_size=3).map(tuple),
)
shapes = st.builds(Shape, st.lists(st.tuples(texts.map(OperatorName), texts), max_size=3).map(tuple), texts, st.booleans())
lives = st.builds(Live, st.lists(st.tuples(texts, numbers), max_size=3).map(tuple))
records: st.SearchStrategy[Record] = st.one_of(
    st.builds(EpochObject, manifests, payloads),
    st.builds(Segment, payloads),
    st.builds(CheckpointFile, payloads),
    st.builds(Verdict, numbers, st.sampled_from(Kind)),
    st.builds(Floor, numbers, numbers),
    st.builds(Damage, numbers, texts),
    st.builds(Pin, texts, numbers, numbers),
    st.builds(PublishedCheckpoint, texts.map(TaskId), numbers, texts, numbers, numbers, st.lists(texts).map(tuple), st.booleans(), texts),
    st.builds(ControlRecord, numbers, shapes, lives, numbers, numbers, texts, texts),
    st.builds(ChangeEpoch, numbers, numbers),
    st.builds(Anchor, numbers, numbers, numbers),
    st.builds(Probe, texts),
)


@given(records)
def test_a_record_is_read_as_it_was_written(record: Record) -> None:
    assert codec.decode(codec.encode(record), "key") == record


@given(records, st.data())
def test_a_record_with_any_byte_changed_or_cut_off_is_refused(record: Record, data: st.DataObject) -> None:
    whole = codec.encode(record)
    at = data.draw(st.integers(0, len(whole) - 1))
    changed = whole[:at] + bytes([whole[at] ^ (1 << data.draw(st.integers(0, 7)))]) + whole[at + 1 :]
    for wrong in (changed, whole[:at]):
        with pytest.raises(codec.Undecodable, match=r"^key: "):
            codec.decode(wrong, "key")


def test_the_same_record_is_the_same_bytes_for_ever() -> None:
    """Written by one release and read by another: change VERSION when this changes."""
    text = b'{"kind":"Floor","payload":null,"record":{"epoch":7,"number":3},"version":1}'
    assert codec.encode(Floor(3, 7)) == b"levee " + codec.checksum(text).encode() + b" " + text + b"\n"


def test_a_record_of_a_later_version_is_refused_with_what_to_do() -> None:
    text = b'{"kind":"Floor","payload":null,"record":{"epoch":7,"number":3},"version":2}'
    with pytest.raises(codec.Undecodable, match=r"^k: version 2; this release reads version 1\. Use the release that wrote it\."):
        codec.decode(b"levee " + codec.checksum(text).encode() + b" " + text + b"\n", "k")


def test_a_field_of_the_wrong_type_is_named() -> None:
    text = b'{"kind":"Floor","payload":null,"record":{"epoch":"7","number":3},"version":1}'
    with pytest.raises(codec.Undecodable, match=r"^k: Floor\.epoch is '7', not int"):
        codec.decode(b"levee " + codec.checksum(text).encode() + b" " + text + b"\n", "k")
