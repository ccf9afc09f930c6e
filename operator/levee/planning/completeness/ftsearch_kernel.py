"""The inner loop of FT-Search: depth first, four prunings, every bound carried along incrementally.

Why: this is where all of its time goes. It is one long function over plain arrays because a compiler can make no better code of it
otherwise: passing the arrays on to smaller ones costs more than all the rest.
Called by: ftsearch, slice by slice.

The bound on completeness is exact for what is bound: with everything not yet bound assumed replicated, leaving task i with one replica
loses the rows it reads and, for each row it would emit, what that row is worth downstream (Tables.worth). Where streams wait, loss is
not additive (several tasks may block the same one), so the rows below are worked out anew. The recursion of domain propagation needs no
queue: a task's predecessors are all bound when it is reached, and one that has lost its value "both" emits nothing.
"""

from levee.planning.completeness.ftsearch_compile import compiled
from levee.planning.completeness.ftsearch_tables import Flags, Floats, State, Tables

DONE, PAUSED, FOUND = 0, 1, 2  # Nothing left; the slice is used up; a better plan (or a piece of the tree) stands in State.value.
NONE, CPU, COMPL, COST, DOM, SYM, FIT = -1, 0, 1, 2, 3, 4, 5  # Bits of Pruning.

BETTER = 1 - 1e-12  # An improvement below rounding errors is none.


@compiled
def search(tables: Tables, state: State, incumbent: Floats, budget: int) -> int:
    """Go on from where the state stands; incumbent[0] is the cost to beat, shared by all searches."""
    count, goal_rows, prunings = tables.tasks, tables.goal_rows, tables.prunings
    full_first, any_waits = tables.full_first, tables.any_waits
    probability, extra, reserved, alike, waits = tables.probability, tables.extra, tables.reserved, tables.alike, tables.waits
    first_node, second_node, limit = tables.first_node, tables.second_node, tables.limit
    start, producer, fraction, passed, worth = tables.start, tables.producer, tables.fraction, tables.passed, tables.worth
    tried, value, alone, rows, out, held = state.tried, state.value, state.alone, state.rows, state.out, state.held
    undo_first, undo_second, ub, kept, cost = state.undo_first, state.undo_second, state.ub, state.kept, state.cost
    emitted, stalls, used, taken = state.emitted, state.stalls, state.used, state.taken
    pruned, height, ample = state.pruned, state.height, tables.ample
    level, root, last = state.cursor[0], state.cursor[1], state.cursor[2]
    levels = value.shape[0]
    outcome = PAUSED
    left = budget
    while left > 0:
        if level == last and last < levels and state.cursor[4] == 0:
            outcome = FOUND
        elif (
            level == last and state.cursor[4] == 0 and cost[level] < incumbent[0] * BETTER and ub[level] >= goal_rows and fits(used, limit)
        ):
            incumbent[0] = cost[level]
            outcome = FOUND
        if outcome == FOUND:
            state.cursor[4] = 1  # To be taken back when the search goes on.
            break
        if level == last or tried[level] == 3:
            if level == root:
                outcome = DONE
                break
            state.cursor[4] = 0
            level -= 1
            c, task = level // count, level % count
            used[c, first_node[task]] = undo_first[level]
            used[c, second_node[task]] = undo_second[level]
            continue
        c, task = level // count, level % count
        one, other = first_node[task], second_node[task]
        if tried[level] == 0:
            read, made, late = 0.0, 0.0, False
            for edge in range(start[task], start[task + 1]):
                more = emitted[c, producer[edge]]
                read += fraction[edge] * more
                made += passed[edge] * more
                late = late or stalls[c, producer[edge]]
            held[level] = late
            rows[level] = 0.0 if late else read
            out[level] = 0.0 if late else made
            alone[level] = 1 if used[c, one] * limit[other] > used[c, other] * limit[one] else 0
        turn = tried[level] - 1 if full_first else tried[level]
        tried[level] += 1
        pick = alone[level] if turn == 0 else (1 - alone[level] if turn == 1 else 2)
        room = reserved[level]
        next_cost, next_ub = cost[level], ub[level]
        cut = NONE
        if pick == 2:
            next_cost += extra[level]
            both = 2.0 * room if one == other else room
            # A task that waits keeps its consumers waiting even if it has nothing to pass on, so for it DOM needs that it is held itself.
            if prunings & 8 and rows[level] == 0.0 and (held[level] or not waits[task]):
                cut = DOM
            elif prunings & 1 and (used[c, one] + both >= limit[one] or used[c, other] + both >= limit[other]):
                cut = CPU
        else:
            at = one if pick == 0 else other
            if prunings & 16 and turn == 1 and alike[level]:
                cut = SYM
            elif prunings & 1 and used[c, at] + room >= limit[at]:
                cut = CPU
            else:
                if any_waits:
                    below = rows_below(tables, state, level, emitted[c], stalls[c])
                    next_ub = kept[level] + probability[c] * below + tables.later[c]
                else:
                    next_ub -= probability[c] * (rows[level] + out[level] * worth[task])
                if prunings & 2 and next_ub < goal_rows:
                    cut = COMPL
        needs = (0.0 if task == 0 else taken[level]) + (2.0 * room if pick == 2 else room)
        if cut == NONE and prunings & 32 and needs >= ample[level]:
            cut = FIT
        if cut == NONE and prunings & 4 and next_cost >= incumbent[0] * BETTER:
            cut = COST
        if cut != NONE:
            pruned[cut] += 1
            height[cut] += levels - level
            continue
        left -= 1
        value[level] = pick
        undo_first[level], undo_second[level] = used[c, one], used[c, other]
        full = pick == 2
        if pick != 1:
            used[c, one] += room
        if pick != 0:
            used[c, other] += room
        emitted[c, task] = out[level] if full else 0.0
        stalls[c, task] = held[level] or (waits[task] and not full)
        kept[level + 1] = kept[level] + probability[c] * rows[level] if full else kept[level]
        cost[level + 1], ub[level + 1], taken[level + 1] = next_cost, next_ub, needs
        level += 1
        tried[level] = 0
    state.cursor[0] = level
    state.cursor[3] += budget - left
    return outcome


@compiled
def fits(used: Floats, limit: Floats) -> bool:
    """Is no node overloaded? (Asked of complete plans: the pruning that sees to it can be switched off.)"""
    for c in range(used.shape[0]):
        for node in range(used.shape[1]):
            if used[c, node] >= limit[node]:
                return False
    return True


@compiled
def rows_below(tables: Tables, state: State, level: int, emitted: Floats, stalls: Flags) -> float:
    """Rows that later tasks of the configuration read in time if they are all replicated and this level's is not."""
    count = tables.tasks
    task = level % count
    ahead, blocked = state.ahead, state.blocked
    ahead[:] = emitted
    blocked[:] = stalls
    ahead[task] = 0.0
    blocked[task] = state.held[level] or tables.waits[task]
    total = 0.0
    for later in range(task + 1, count):
        read, made, late = 0.0, 0.0, False
        for edge in range(tables.start[later], tables.start[later + 1]):
            more = ahead[tables.producer[edge]]
            read += tables.fraction[edge] * more
            made += tables.passed[edge] * more
            late = late or blocked[tables.producer[edge]]
        blocked[later] = late
        ahead[later] = 0.0 if late else made
        total += 0.0 if late else read
    return total
