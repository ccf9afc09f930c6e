package dev.levee.spark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.execution.arrow.ArrowWriter;
import org.apache.spark.sql.types.StructType;

/** Writes the rows of a partition as an Arrow stream. Called by: Spark, in tasks. */
final class RowsWriter implements DataWriter {
    private static final int BATCH_ROWS = 1 << 14;

    private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
    private final ArrowWriter rows;
    private final ArrowStreamWriter batches;
    private int count;

    RowsWriter(StructType schema) throws IOException {
        this.rows = ArrowWriter.create(schema, "UTC", true, false);
        this.batches = new ArrowStreamWriter(rows.root(), null, stream);
        batches.start();
    }

    public void write(Object row) throws IOException {
        rows.write((InternalRow) row);
        if (++count == BATCH_ROWS) {
            flush();
        }
    }

    private void flush() throws IOException {
        rows.finish();
        batches.writeBatch();
        rows.reset();
        count = 0;
    }

    public WriterCommitMessage commit() throws IOException {
        if (count > 0) {
            flush();
        }
        batches.end();
        return new Rows(stream.toByteArray());
    }

    public void abort() {
    }

    public void close() {
        batches.close();
        rows.root().close();
    }

    static final class Factory implements StreamingDataWriterFactory {
        private final StructType schema;

        Factory(StructType schema) {
            this.schema = schema;
        }

        public DataWriter createWriter(int partition, long task, long batch) {
            try {
                return new RowsWriter(schema);
            } catch (IOException error) {
                throw new java.io.UncheckedIOException(error);
            }
        }
    }
}
