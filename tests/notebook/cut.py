"""The format `levee` with a process that is killed between the segments of an epoch and its manifest, once, where a file asks for it.

Called by: the tests beside it; by Spark, whose processes are sent this module, since they cannot import it.
"""

import os
import signal
from pathlib import Path

from pyspark.sql.datasource import DataSourceStreamWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from levee_spark.notebook.source import Streams
from levee_spark.notebook.writing import StreamWriter


class CutOff(StreamWriter):
    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        asked = Path(self.asked.store.removeprefix("file://")) / "cut-off"
        if asked.exists():
            asked.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        super().commit(messages, batchId)


class CutOffStreams(Streams):
    @classmethod
    def name(cls) -> str:
        return "levee-cut-off"

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:  # noqa: N802
        whole = super().streamWriter(schema, overwrite)
        assert isinstance(whole, StreamWriter)
        return CutOff(whole.asked, whole.schema)
