from pathlib import Path

import pytest

from lint_purity import CLOCK, LEVEE, RANDOM, WORLD, complaints_in

IMPURE = {
    "import time\nnow = time.time()": (2, "time.time", CLOCK),
    "import time\ndef f(clock=time.monotonic): ...": (2, "time.monotonic", CLOCK),
    "import time as t\nt.sleep(1)": (2, "time.sleep", CLOCK),
    "from time import perf_counter": (1, "time.perf_counter", CLOCK),
    "import datetime as dt\ndt.datetime.now()": (2, "datetime.datetime.now", CLOCK),
    "import random\nrandom.choice([1])": (2, "random.choice", RANDOM),
    "from random import shuffle": (1, "random.shuffle", RANDOM),
    "import random\nrng = random.Random()": (2, "random.Random()", "give it a seed, or take it as an argument"),
    "import numpy as np\nnp.random.rand()": (2, "numpy.random.rand", "take a `numpy.random.Generator` as an argument"),
    "import numpy as np\nnp.random.default_rng()": (2, "numpy.random.default_rng()", "give it a seed, or take it as an argument"),
    "from uuid import uuid4": (1, "uuid.uuid4", "derive the name from what it names"),
    "import os\nos.environ['HOME']": (2, "os.environ", WORLD),
    "open('plan.yaml')": (1, "open", WORLD),
    "from pathlib import Path\nPath('plan.yaml').read_text()": (2, ".read_text()", WORLD),
    "print('done')": (1, "print", "return it; the edge (levee.cli) prints"),
}
PURE = (
    "from random import Random\ndef f(rng: Random) -> float: return rng.random()",
    "import random\nrng = random.Random(7)",
    "import numpy as np\nrng = np.random.default_rng(seed=7)",
    "from datetime import timedelta\npause = timedelta(seconds=1)",
    "def f(stop): return stop.time()",
    "def f(random): return random.choice",
)


@pytest.mark.parametrize(("source", "found"), IMPURE.items(), ids=[found[1] for found in IMPURE.values()])
def test_an_impure_name_is_reported_with_its_line_and_its_replacement(source: str, found: tuple[int, str, str], tmp_path: Path) -> None:
    module = tmp_path / "planted.py"
    module.write_text(source)
    line, name, fix = found
    assert f"{module}:{line}: {name}: {fix}" in complaints_in(module)


@pytest.mark.parametrize("source", PURE)
def test_time_and_randomness_that_are_passed_in_are_pure(source: str, tmp_path: Path) -> None:
    module = tmp_path / "planted.py"
    module.write_text(source)
    assert complaints_in(module) == []


def test_the_layers_that_are_walked_are_there() -> None:
    assert any((LEVEE / "topology").rglob("*.py"))
    assert any((LEVEE / "planning").rglob("*.py"))
