"""The epoch log: immutable numbered epochs on an object store, written by racing replicas, without locks or leaders.

Why: every guarantee of Levee rests on ten rules (docs/design/epoch-log.md). Each stands in the module that carries its name, and
each is proved necessary by a simulation that fails without it.
Everything here but the store itself is sans-I/O: a role is a generator that yields requests and is sent the answers.
Called by: lanes and workers, which drive the roles against a real store; the simulation, which drives them against a hostile one.
"""
