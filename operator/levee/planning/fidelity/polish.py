"""A plan cut to the budget and filled up to it, then bettered by single exchanges.

Why: the relaxation's plan may spend too much or too little; a good incumbent early saves most of the search.
Called by: fidelity.exact.
"""

import numpy as np
from numpy.typing import NDArray

from levee.planning.fidelity.model import Flags, Model


def improved(model: Model, tasks: frozenset[int], budget: int) -> frozenset[int]:
    active = model.flags([tasks])[0]
    while active.sum() > budget:
        active = _best(model, active, np.flatnonzero(active))
    while active.sum() < min(budget, len(active)):
        active = _best(model, active, np.flatnonzero(~active))
    return frozenset(int(task) for task in np.flatnonzero(active))


def _best(model: Model, active: Flags, candidates: NDArray[np.intp]) -> Flags:
    """The best plan that differs in one of these tasks."""
    plans = np.repeat(active[None, :], len(candidates), axis=0)
    plans[np.arange(len(candidates)), candidates] ^= True
    best: Flags = plans[int(np.argmax(model.values(plans)))]
    return best
