"""`levee-chaos run`: a topology on this machine whose network, store, disk and clock can be disturbed. Everything else is `levee run`.

Called by: the console script `levee-chaos`, and `python -m levee_chaos`.
"""

import sys

USAGE = """usage: levee-chaos run [as of levee run]

Runs a topology as `levee run` does, with workers that obey disturbances of their network, store, disk and clock: for the actions
partition_node, delay_network, lose_packets, limit_bandwidth, fail_store, slow_store, fill_disk, skew_clock and skew_store_clock.
The actions that crash, pause and slow, and corrupt_object, need no more than `levee run`.
"""


def main() -> int:
    if sys.argv[1:2] != ["run"]:
        print(USAGE, file=sys.stdout if sys.argv[1:2] in [["-h"], ["--help"]] else sys.stderr)
        return 0 if sys.argv[1:2] in [["-h"], ["--help"]] else 2
    from levee.cli.main_command import run  # noqa: PLC0415  (help must not wait for it)
    from levee_chaos.disturbed.starting import disturb  # noqa: PLC0415

    disturb()
    return run(sys.argv[1:], name="levee-chaos")


if __name__ == "__main__":
    sys.exit(main())
