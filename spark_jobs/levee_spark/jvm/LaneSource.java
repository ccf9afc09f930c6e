package dev.levee.spark;

import java.util.Collections;
import java.util.Map;
import java.util.Set;

import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The data source of a lane's inputs: one epoch a batch, read from the Arrow streams that Python has spooled.
 *
 * Options: lane (its id), input (its number), parts (of a large epoch). The schema is given by who reads.
 * Called by: Spark, for readers that levee_spark.lane.query makes.
 */
public final class LaneSource implements TableProvider {
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        throw new UnsupportedOperationException("give the stream's schema");
    }

    public boolean supportsExternalMetadata() {
        return true;
    }

    public Table getTable(StructType schema, Transform[] partitioning, Map properties) {
        return new Input(schema);
    }

    static final class Input implements Table, SupportsRead {
        private final StructType schema;

        Input(StructType schema) {
            this.schema = schema;
        }

        public String name() {
            return "levee";
        }

        public StructType schema() {
            return schema;
        }

        public Set capabilities() {
            return Collections.singleton(TableCapability.MICRO_BATCH_READ);
        }

        public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
            return new Reading(schema, options);
        }
    }

    static final class Reading implements ScanBuilder, Scan {
        private final StructType schema;
        private final CaseInsensitiveStringMap options;

        Reading(StructType schema, CaseInsensitiveStringMap options) {
            this.schema = schema;
            this.options = options;
        }

        public Scan build() {
            return this;
        }

        public StructType readSchema() {
            return schema;
        }

        public Scan.ColumnarSupportMode columnarSupportMode() {
            return Scan.ColumnarSupportMode.SUPPORTED;
        }

        public MicroBatchStream toMicroBatchStream(String checkpoint) {
            return new EpochStream(Lane.of(options), options.getInt("input", 0), options.getInt("parts", 1));
        }
    }
}
