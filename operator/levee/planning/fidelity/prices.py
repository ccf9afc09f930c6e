"""How the price of a shared operand is divided among its uses.

Why: every division gives a bound; the best one gives the tightest (it is the Lagrangian dual of "all copies choose alike").
Called by: fidelity.exact, once, before it branches.
"""

from dataclasses import replace

from levee.planning.fidelity.network import Network
from levee.planning.fidelity.plan import out_of_time
from levee.planning.fidelity.relaxation import Relaxation
from levee.planning.fidelity.trace import Relaxed, relaxed_in
from levee.planning.result import Stop

GRAINS = 6
ROUNDS = 24


def priced(network: Network, budget: int, stop: Stop = Stop()) -> Relaxation:
    """The relaxation with the best prices found; each gives a bound, so it may be stopped after any of them."""
    uses = {atom: len(places) for atom, places in network.places.items() if len(places) > 1}
    grains = GRAINS if uses else 1
    prices = {atom: _even(count, grains) for atom, count in uses.items()}
    best = current = Relaxation(network, budget, grains, prices)
    lowest, relaxed = None, relaxed_in(current, {})
    for _ in range(ROUNDS):
        if out_of_time(stop):
            break
        if relaxed is None or all(len(set(values)) == 1 for values in relaxed.chosen.values()):
            return current
        if lowest is None or relaxed.bound < lowest:
            best, lowest = current, relaxed.bound
        current = replace(current, prices=_shifted(current, relaxed), cache={})
        relaxed = relaxed_in(current, {})
    return best


def _even(uses: int, grains: int) -> tuple[int, ...]:
    return tuple(grains * (use + 1) // uses - grains * use // uses for use in range(uses))


def _shifted(relaxation: Relaxation, relaxed: Relaxed) -> dict[int, tuple[int, ...]]:
    """Whoever wants more than the others pays more: one grain from the least eager payer to the most eager."""
    shifted: dict[int, tuple[int, ...]] = {}
    for atom, prices in relaxation.prices.items():
        values = relaxed.chosen[atom]
        new = list(prices)
        payers = [use for use, price in enumerate(prices) if price > 0]
        least, most = min(payers, key=lambda use: values[use]), max(range(len(values)), key=lambda use: values[use])
        if values[most] > values[least]:
            new[least] -= 1
            new[most] += 1
        shifted[atom] = tuple(new)
    return shifted
