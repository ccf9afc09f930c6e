package dev.levee.spark;

import java.io.InterruptedIOException;
import java.io.UncheckedIOException;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsAdmissionControl;

/**
 * One input of a lane, as Spark's batches ask for it.
 *
 * Why: `latestOffset` blocks until the next epoch of ALL inputs is there, so that a join sees the same epochs of both sides in
 * every replica.
 * Called by: Spark.
 */
final class EpochStream implements MicroBatchStream, SupportsAdmissionControl {
    private final Lane lane;
    private final int input;
    private final int parts;

    EpochStream(Lane lane, int input, int parts) {
        this.lane = lane;
        this.input = input;
        this.parts = parts;
    }

    public Offset initialOffset() {
        return new Epoch(lane.base);
    }

    public Offset deserializeOffset(String json) {
        return Epoch.parse(json);
    }

    public Offset latestOffset() {
        throw new UnsupportedOperationException("Spark asks with the offset before");
    }

    public Offset latestOffset(Offset start, ReadLimit limit) {
        try {
            return new Epoch(lane.next(((Epoch) start).number));
        } catch (InterruptedException stopped) {
            throw new UncheckedIOException(new InterruptedIOException("the query is stopped"));  // Spark knows what this means
        }
    }

    public InputPartition[] planInputPartitions(Offset start, Offset end) {
        String file;
        try {
            file = lane.file(input, ((Epoch) end).number);
        } catch (InterruptedException stopped) {
            throw new UncheckedIOException(new InterruptedIOException("the query is stopped"));
        }
        InputPartition[] planned = new InputPartition[isOnePart() ? 1 : parts];
        for (int i = 0; i < planned.length; i++) {
            planned[i] = lane.spread ? SpooledPart.ofDriver(file + "." + i) : new SpooledPart(file, i, planned.length, false);
        }
        return planned;
    }

    boolean isOnePart() {
        return !lane.spread && !lane.isLarge();
    }

    public PartitionReaderFactory createReaderFactory() {
        return new SpooledReader.Factory();
    }

    public void commit(Offset end) {
    }

    public void stop() {
    }

    static final class Epoch extends Offset {
        final long number;

        Epoch(long number) {
            this.number = number;
        }

        static Epoch parse(String json) {
            return new Epoch(Long.parseLong(json.replaceAll("[^0-9]", "")));
        }

        public String json() {
            return "{\"epoch\": " + number + "}";
        }
    }
}
