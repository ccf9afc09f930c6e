"""`levee check` finds what would make two replicas differ, and says which column of which operator, and where."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from levee.cli.commands.check import as_declared, tell
from levee.cli.main import run
from levee.plans.ending import Exit
from levee_spark.check import differences
from levee_spark.check.finding import Finding, Weight
from levee_spark.check.lines import is_unrepeatable, words_before_brackets
from levee_spark.check.samples import Samples, spread
from levee_spark.lane.rows import encode

HERE = Path(__file__).parent
REPEATABLE = ("good", "counted", "after_dice", "after_raises", "of_given", "of_ticks", "windows", "after_windows")
UNCHECKED = ("of_unknown", "silent")
WRONG = (
    *("clock", "dice", "dice_in_sql", "numbered", "python_clock", "hash_order"),
    *(
        "row_order",
        "float_sum",
        "pairs",
        "timers",
        "raises",
        "columns_by_run",
        "doubled",
        "windows_by_chance",
        "no_frame",
        "foreign",
        "leaves_rows",
    ),
)


def operator(name: str) -> str:
    origin = name.partition("_")[2] if name.startswith(("after_", "of_")) else "numbers"
    return f"  - {{name: {name.replace('_', '-')}, function: 'bad:{name}', inputs: [{{from: {origin}, cost: 1us}}]}}"


def sink(name: str) -> str:
    stream = name.replace("_", "-")
    return f"  - {{name: of-{stream}, from: {stream}, spark: {{format: json, options: {{path: /nowhere/{name}}}}}}}"


def source(name: str, spark: str) -> str:
    return f"  - {{name: {name}, spark: {{{spark}}}, configurations: [{{rate: 20}}]}}"


def topology(operators: tuple[str, ...]) -> str:
    return "\n".join(
        [
            "apiVersion: levee.dev/v1alpha1",
            "kind: FaultTolerantTopology",
            "metadata: {name: bad, namespace: tests}",
            "spec:",
            '  store: {uri: "file:///nowhere/levee"}',
            "  sources:",
            source("numbers", "format: replay, options: {generator: 'generator:rows'}"),
            source("unknown", "format: kafka, options: {subscribe: numbers}"),
            source("given", "format: kafka, options: {subscribe: numbers}"),
            source("ticks", "format: rate"),
            "  operators:",
            *map(operator, operators),
            "  sinks:",
            *map(sink, operators),
            "  faultTolerance: {strategy: static}",
            "  placement: {nodes: [{name: node-1}, {name: node-2}]}",
        ]
    )


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    complaints: tuple[str, ...]  # each with its lines
    errors: str

    def of(self, operator: str, *, warnings: bool = False) -> list[str]:
        name, start = operator.replace("_", "-"), "warning: " if warnings else ""
        return [one for one in self.complaints if one.startswith((f"{start}{name} (", f"{start}{name}:"))]


def ran(place: Path, operators: tuple[str, ...], *flags: str) -> Ran:
    for name in ("bad.py", "generator.py"):
        shutil.copy(HERE / name, place)
    file = place / "topology.yaml"
    file.write_text(topology(operators))
    words = [sys.executable, "-c", "from levee.cli.main import main; main()", "check", "-f", str(file), "--epochs", "2", *flags]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    complaints: list[str] = []
    for line in ended.stderr.splitlines():
        if line.startswith("warning: ") or (line.startswith("  ") and not line.startswith("    ") and ":" in line):
            complaints.append(line.strip())
        elif complaints:
            complaints[-1] += "\n" + line
    return Ran(ended.returncode, ended.stdout, tuple(complaints), ended.stderr)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """All of them at once: a check starts two JVMs."""
    place = tmp_path_factory.mktemp("bad")
    (place / "samples").mkdir()
    parquet.write_table(pa.table({"value": list(range(30))}), place / "samples" / "given.parquet")
    return ran(place, (*WRONG, *REPEATABLE, *UNCHECKED), "--sample", str(place / "samples"))


def test_functions_that_are_not_repeatable_end_the_check_with_exit_code_1(found: Ran) -> None:
    assert found.code == Exit.REFUSED
    assert found.out.startswith(f"tests/bad: {len(WRONG) + len(UNCHECKED) + 1} parts with findings")


@pytest.mark.parametrize("operator", REPEATABLE)
def test_nothing_is_said_against_what_repeats_itself(found: Ran, operator: str) -> None:
    """Also where it reads what somebody else has made at random: it is not to blame."""
    assert found.of(operator) == []


@pytest.mark.parametrize(
    ("operator", "said"),
    [
        ("clock", "column 'seen' differs"),
        ("dice", "column 'thrown' differs"),
        ("dice_in_sql", "column 'thrown' differs"),
        ("python_clock", "column 'stamped' differs"),
        ("hash_order", "column 'set' differs"),
        ("row_order", "column 'all' differs"),
        ("float_sum", "column 'total' differs in its last digits"),
        ("columns_by_run", "has the columns at_utc int64 the first time, and at_pacific int64 the second"),
        ("windows_by_chance", "column 'drawn' differs (epoch 3)"),
        ("doubled", "it emits 2 columns that have a name in common: 'value', 'value'"),
        ("pairs", "puts other values together in a row"),
    ],
)
def test_the_column_that_differs_is_named(found: Ran, operator: str, said: str) -> None:
    assert any(said in one for one in found.of(operator)), found.complaints


@pytest.mark.parametrize(
    ("operator", "called", "code"),
    [
        ("clock", "current_timestamp asks for the time", "f.current_timestamp()"),
        ("dice", "rand draws at random", "f.rand()"),
        ("dice_in_sql", "rand draws at random", "floor(rand() * 6)"),
        ("numbered", "monotonically_increasing_id numbers rows", "f.monotonically_increasing_id()"),
        ("timers", "its state runs out by the time of the machine", "applyInPandasWithState"),
    ],
)
def test_what_a_plan_must_not_have_is_named_with_its_line(found: Ran, operator: str, called: str, code: str) -> None:
    [told] = [one for one in found.of(operator) if called in one]
    file, _, line = told.partition("(")[2].partition(")")[0].rpartition(":")
    assert Path(file).name == "bad.py"
    assert code in (HERE / "bad.py").read_text().splitlines()[int(line) - 1]


def test_a_function_that_raises_is_told_with_its_epoch_its_line_and_a_sample(found: Ran) -> None:
    [told] = found.of("raises")
    assert "epoch 2: ValueError: " in told
    assert "is too much" in told
    assert 'in refuse: raise ValueError(f"{value} is too much")' in told
    assert "the first 3 of 20 rows of 'numbers' in this epoch" in told
    assert '"value": 20' in told


@pytest.mark.parametrize(
    ("operator", "said"), [("float_sum", "sum of floating-point numbers"), ("row_order", "collect_list depends on the order")]
)
def test_what_may_go_wrong_is_a_warning(found: Ran, operator: str, said: str) -> None:
    assert any(said in one for one in found.of(operator, warnings=True))


def test_clocks_and_dice_of_python_are_warned_of_with_their_line(found: Ran) -> None:
    [told] = found.of("python_clock", warnings=True)
    assert "time.time_ns gives something else in each replica" in told
    assert "bad.py:" in told
    assert found.of("good", warnings=True) == []  # what it does not call is none of its business


def test_a_source_that_makes_no_samples_needs_some(found: Ran) -> None:
    """Nobody should take for repeatable what was not run."""
    [told] = found.of("unknown")
    assert "of which there are no sample epochs" in told
    assert "--sample DIR, with DIR/unknown.parquet" in told
    assert "was not run" in found.of("of_unknown")[0]


def test_what_emitted_no_row_is_not_called_repeatable(found: Ran) -> None:
    [told] = found.of("silent")
    assert told.startswith("silent: emitted nothing in 2 epochs and at their end, so no row was compared: not checked.\n")
    assert "Fix: try --epochs 8, or give rows that it lets through as --sample DIR." in told


@pytest.mark.parametrize("name", ["no_frame", "foreign"])
def test_what_is_no_frame_of_its_inputs_is_told_with_the_function_s_own_line(found: Ran, name: str) -> None:
    [told] = found.of(name)
    assert "the function returned" in told
    assert f"bad.py:{lines_of_bad(f'def {name}(')} in {name}" in told


def lines_of_bad(start: str) -> int:
    return next(number for number, line in enumerate((HERE / "bad.py").read_text().splitlines(), start=1) if line.startswith(start))


def test_a_process_of_spark_s_that_a_function_ends_is_told(found: Ran) -> None:
    assert "Python worker exited unexpectedly" in found.of("leaves_rows")[0]


@pytest.mark.parametrize("name", ["leaves", "leaves_quietly"])
def test_a_function_that_ends_its_process_is_named(tmp_path: Path, name: str) -> None:
    ended = ran(tmp_path, (name, *(one for one in REPEATABLE + UNCHECKED if one.startswith("of_"))))  # every source needs a reader
    assert ended.code == Exit.REFUSED
    code = {"leaves": 7, "leaves_quietly": 0}[name]
    told = f"its process ended with exit code {code} while it ran the function of '{name.replace('_', '-')}' (bad:{name})"
    assert told in ended.errors


def test_without_findings_the_exit_code_is_0(capsys: pytest.CaptureFixture[str]) -> None:
    warning = Finding("vwap", Weight.WARNING, "may go wrong", "mend it", "vwap.py:7")
    assert tell("shop/clicks", ["vwap"], 8, [warning]) is Exit.OK
    assert capsys.readouterr() == (
        "shop/clicks: repeatable (1 operator, 8 epochs, 2 runs)\n",
        "warning: vwap (vwap.py:7): may go wrong.\n    Fix: mend it.\n",
    )


def test_what_says_that_it_is_not_repeatable_may_differ_and_must_still_be_of_use() -> None:
    differs, wrong = (
        Finding("vwap", Weight.DIFFERS, "column 'price' differs", "mend it"),
        Finding("vwap", Weight.WRONG, "raises", "mend it"),
    )
    assert as_declared(differs, {"vwap"}).weight is Weight.WARNING
    assert "standbys" in as_declared(differs, {"vwap"}).fix
    assert as_declared(differs, {"index"}) == differs
    assert as_declared(wrong, {"vwap"}) == wrong


def test_a_file_that_cannot_be_read_is_told_and_nothing_is_started(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "-f", "/nowhere/topology.yaml"]) == Exit.USAGE
    assert capsys.readouterr().err.startswith("levee check: it cannot run.\n  --file: cannot read '/nowhere/topology.yaml'")


def test_samples_are_a_file_for_each_epoch_or_one_that_is_cut(tmp_path: Path) -> None:
    tables = [pa.table({"n": [n]}) for n in range(3)]
    (tmp_path / "clicks").mkdir()
    for number, table in enumerate(tables):
        (tmp_path / "clicks" / f"{number}.arrow").write_bytes(rows_of(table, number))
    assert Samples(2, 1.0, tmp_path).given("clicks") == tables[:2]
    assert Samples(2, 1.0, tmp_path).given("views") is None
    assert [one.num_rows for one in spread([pa.table({"n": list(range(7))})], 3)] == [3, 3, 1]


def rows_of(table: pa.Table, number: int) -> bytes:
    """Arrow has two forms: files and streams."""
    if number % 2:
        return encode(table)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def different(one: pa.Table, other: pa.Table) -> list[str]:
    return [finding.wrong for _, finding in differences.compared("x", 1, one, other)]


def test_the_order_of_rows_and_of_a_map_s_entries_is_no_difference() -> None:
    kind = pa.map_(pa.string(), pa.int64())
    one = pa.table({"a": [1, 2], "m": pa.array([[("x", 1), ("y", 2)], []], kind)})
    other = pa.table({"a": [2, 1], "m": pa.array([[], [("y", 2), ("x", 1)]], kind)})
    assert different(one, other) == []


def test_a_row_more_is_a_difference_and_an_example_is_given() -> None:
    assert different(pa.table({"a": [1, 1]}), pa.table({"a": [1]})) == [
        "column 'a' differs (epoch 1): 1 the first time, nothing more the second"
    ]


def test_times_are_given_as_people_write_them_and_what_is_cut_ends_so() -> None:
    one, other = (pa.table({"at": pa.array([second * 10**6], pa.timestamp("us", "UTC"))}) for second in (0, 1))
    assert different(one, other) == [
        "column 'at' differs (epoch 1): 1970-01-01T00:00:00+00:00 the first time, 1970-01-01T00:00:01+00:00 the second"
    ]
    [told] = different(pa.table({"a": ["x" * 100]}), pa.table({"a": ["y"]}))
    assert f"'{'x' * 79}... the first time" in told


PRICED = pa.table({"key": [1, 2, 3], "type": ["trade"] * 3, "symbol": ["S000", "S002", "S004"], "tag": ["a", "b", "c"]})


def tagged(*tags: str, order: Sequence[int] = (0, 1, 2), without: str = "") -> pa.Table:
    table = PRICED.set_column(3, "tag", pa.array(tags)).take(pa.array(order))
    return table.drop_columns([without]) if without else table


def test_values_of_one_row_are_put_beside_each_other_by_a_column_that_is_a_key() -> None:
    for without in ("", "key", "symbol"):
        one, other = tagged("x", "y", "z", without=without), tagged("q", "r", "z", order=(2, 1, 0), without=without)
        assert different(one, other) == ["column 'tag' differs (epoch 1): in one row it is 'x' the first time, 'q' the second"]


def test_values_of_one_row_are_put_beside_each_other_by_columns_that_are_a_key_together() -> None:
    one = pa.table({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "tag": ["m", "n", "o", "p"]})
    other = pa.table({"a": [2, 2, 1, 1], "b": [2, 1, 2, 1], "tag": ["p", "o", "k", "l"]})
    assert different(one, other) == ["column 'tag' differs (epoch 1): in one row it is 'm' the first time, 'l' the second"]


def test_where_no_column_tells_rows_apart_none_are_put_beside_each_other() -> None:
    one = pa.table({"type": ["trade"] * 3, "tag": ["S000,z,quote", "S001", "S002"]})
    other = pa.table({"type": ["trade"] * 3, "tag": ["S004", "S001", "S005"]})
    assert different(one, other) == ["column 'tag' differs (epoch 1): 2 of 3 rows the first time, 2 of 3 the second"]


def test_what_is_no_number_equals_itself() -> None:
    assert different(pa.table({"a": [float("nan")]}), pa.table({"a": [float("nan")]})) == []


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("time.time", True),
        ("datetime.datetime.now", True),
        ("random.random", True),
        ("np.random.rand", True),
        ("random.Random", False),
        ("frame.now", False),
    ],
)
def test_calls_of_clocks_and_dice_are_known_by_their_names(name: str, is_one: bool) -> None:
    assert is_unrepeatable(name) is is_one


def test_functions_are_found_in_sql() -> None:
    assert list(words_before_brackets("floor(rand() * 6) + abs(x)")) == ["floor", "rand", "abs"]
