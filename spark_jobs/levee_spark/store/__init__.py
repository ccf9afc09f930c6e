"""The real stores of the epoch log: a local directory, S3, Google Cloud Storage, Azure.

Why: `log` only says what it wants; here it is carried out, once, honestly: what may have happened is answered with "unknown", never
with a guess, and nothing is tried twice behind a role's back. It stands beside `log`, not in it, because `log` is proved without I/O.
Called by: workers (`open_store`, `StoreDriver`), the command line (tail, status), whoever runs a role outside the simulation.
"""
