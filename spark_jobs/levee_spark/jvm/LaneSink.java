package dev.levee.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Where a lane's rows go: an Arrow stream for each partition, all in one file, in any output mode.
 *
 * Why: what the query gives is written once, as it comes; `foreachBatch` plans each batch a second time and calls Python in between.
 * Option: lane (its id).
 * Called by: Spark, for writers that levee_spark.lane.query makes.
 */
public final class LaneSink implements TableProvider {
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return new StructType();  // it takes any
    }

    public Table getTable(StructType schema, Transform[] partitioning, Map properties) {
        return new Output();
    }

    static final class Output implements Table, SupportsWrite {
        public String name() {
            return "levee";
        }

        public StructType schema() {
            return new StructType();
        }

        public Set capabilities() {
            return EnumSet.of(TableCapability.STREAMING_WRITE, TableCapability.TRUNCATE, TableCapability.ACCEPT_ANY_SCHEMA);
        }

        public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
            return new Writing(info);
        }
    }

    /** Whatever the mode, an epoch is the rows that Spark gives for it. */
    static final class Writing implements WriteBuilder, Write, StreamingWrite, SupportsTruncate, SupportsStreamingUpdateAsAppend {
        private final LogicalWriteInfo info;
        private final Lane lane;

        Writing(LogicalWriteInfo info) {
            this.info = info;
            this.lane = Lane.of(info.options());
        }

        public WriteBuilder truncate() {
            return this;
        }

        public Write build() {
            return this;
        }

        public StreamingWrite toStreaming() {
            return this;
        }

        public StreamingDataWriterFactory createStreamingWriterFactory(PhysicalWriteInfo planned) {
            return new RowsWriter.Factory(info.schema());
        }

        public boolean useCommitCoordinator() {
            return false;  // nothing outside of the task is written before all are done
        }

        public void commit(long batch, WriterCommitMessage[] parts) {
            try {
                lane.emit(batch, parts);
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }

        public void abort(long batch, WriterCommitMessage[] parts) {
        }
    }
}
