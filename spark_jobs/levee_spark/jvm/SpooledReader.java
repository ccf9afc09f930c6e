package dev.levee.spark;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.util.ArrowUtils;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Reads its part of a spooled Arrow stream by whole columns. Called by: Spark, in tasks. */
final class SpooledReader implements PartitionReader {
    private final ArrowStreamReader reader;
    private final int step;
    private final ColumnVector[] columns;
    private int skip;  // batches before the next one of ours
    private ColumnarBatch batch;

    SpooledReader(SpooledPart part) throws IOException {
        this.reader = opened(part.open());
        this.step = part.step;
        this.skip = part.first;
        List vectors = reader.getVectorSchemaRoot().getFieldVectors();
        this.columns = new ColumnVector[vectors.size()];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = new ArrowColumnVector((FieldVector) vectors.get(i));
        }
    }

    /** A file's channel saves a copy. */
    private static ArrowStreamReader opened(InputStream in) {
        return in instanceof FileInputStream
                ? new ArrowStreamReader(((FileInputStream) in).getChannel(), ArrowUtils.rootAllocator())
                : new ArrowStreamReader(in, ArrowUtils.rootAllocator());
    }

    public boolean next() throws IOException {
        while (reader.loadNextBatch()) {
            if (skip == 0) {
                skip = step - 1;
                batch = new ColumnarBatch(columns, reader.getVectorSchemaRoot().getRowCount());
                return true;
            }
            skip--;
        }
        return false;
    }

    public Object get() {
        return batch;
    }

    public void close() throws IOException {
        reader.close();  // and the vectors, and the file
    }

    static final class Factory implements PartitionReaderFactory {
        public PartitionReader createReader(InputPartition part) {
            throw new UnsupportedOperationException("it reads columns");
        }

        public PartitionReader createColumnarReader(InputPartition part) {
            try {
                return new SpooledReader((SpooledPart) part);
            } catch (IOException error) {
                throw new java.io.UncheckedIOException(error);
            }
        }

        public boolean supportColumnarReads(InputPartition part) {
            return true;
        }
    }
}
