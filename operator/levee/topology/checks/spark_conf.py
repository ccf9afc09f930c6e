"""Settings of Spark: which ones are Levee's own, and what to write instead.

Why: with another scheduler, master or source of micro-batches, epochs would be lost, late or different, and nobody would be told.
Called by: topology.check.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from levee.topology.complaint import Complaint
from levee.topology.spec import Resource
from levee.topology.wording import shortened

WHERE: Final = "spec.sparkConf"
LEAVE_OUT: Final = "leave it out"
EXECUTORS: Final = "write it under executors of the operator that has them"
OWN: Final[Mapping[str, str]] = {  # a name, or how names begin
    "spark.app.name": LEAVE_OUT,
    "spark.driver.": "leave it out: a worker's memory follows from its replicas, its pod's from spec.podTemplate",
    "spark.executor.cores": EXECUTORS,
    "spark.executor.instances": EXECUTORS,
    "spark.executor.memory": EXECUTORS,
    "spark.hadoop.fs.file.impl": LEAVE_OUT,
    "spark.kubernetes.": "write what is to be otherwise in pods under spec.podTemplate",
    "spark.local.dir": LEAVE_OUT,
    "spark.master": "leave it out: how many cores a worker has follows from its replicas, executors from those of its operator",
    "spark.python.daemon.module": LEAVE_OUT,
    "spark.scheduler.mode": LEAVE_OUT,
    "spark.sql.session.timeZone": "leave it out: times are in UTC; convert them in the function (from_utc_timestamp)",
    "spark.sql.streaming.checkpointFileManagerClass": LEAVE_OUT,
    "spark.sql.streaming.noDataMicroBatches.enabled": LEAVE_OUT,
    "spark.sql.streaming.queryEvolution.enableSourceEvolution": LEAVE_OUT,
    "spark.sql.streaming.stateStore.providerClass": LEAVE_OUT,
    "spark.submit.": LEAVE_OUT,
}


def settings(resource: Resource) -> Iterator[Complaint]:
    for name in resource.spec.spark_conf:
        if not name.startswith("spark."):
            yield Complaint(WHERE, f"'{shortened(name)}' is no setting of Spark", "begin it with 'spark.', Hadoop's with 'spark.hadoop.'")
        elif own := next((own for own in OWN if name == own or (own.endswith(".") and name.startswith(own))), None):
            yield Complaint(WHERE, f"'{shortened(name)}' is Levee's own to set", OWN[own])
