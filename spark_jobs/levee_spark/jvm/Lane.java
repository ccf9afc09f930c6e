package dev.levee.spark;

import java.io.FileOutputStream;
import java.io.IOException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.spark.SparkException;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * What Python and one query of Spark's tell each other: the epoch that may be computed, and that its rows are there.
 *
 * Why: both sides wait for the other without a process, a socket or a thread of their own in between.
 * Called by: levee_spark.lane.query (open, compute, close); EpochStream and RowsWrite, in the query.
 *
 * All of dev.levee.spark is compiled by Janino (see levee_spark.spark.compiled): no lambdas, generic types are not looked at.
 */
public final class Lane {
    private static final ConcurrentHashMap OPEN = new ConcurrentHashMap();
    private static final AtomicLong COUNT = new AtomicLong();
    private static final long LOOK_MS = 100;  // how often a query that says nothing is asked whether it lives

    final String id = Long.toString(COUNT.incrementAndGet());  // queries of the same name must not meet
    final long base;  // the epoch before Spark's batch 0
    final boolean spread;  // executors compute it: each part of an input is a file of its own, and they ask the driver for it
    private long announced;
    private long emitted;
    private String[] files;  // per input, an Arrow stream; one for each part, numbered, where the lane is spread
    private boolean large;  // worth several partitions
    private String output;

    private Lane(long base, boolean spread) {
        this.base = this.announced = this.emitted = base;
        this.spread = spread;
    }

    public static Lane open(long base, boolean spread) {
        Lane lane = new Lane(base, spread);
        OPEN.put(lane.id, lane);
        return lane;
    }

    static Lane of(CaseInsensitiveStringMap options) {
        Lane lane = (Lane) OPEN.get(options.get("lane"));
        if (lane == null) {
            throw new IllegalStateException("this lane is closed: " + options.get("lane"));
        }
        return lane;
    }

    public String id() {
        return id;
    }

    public void close() {
        OPEN.remove(id);
    }

    // ---- Python's side

    /** Whether the rows of the epoch are in the output within the limit. Raises what the query has died of. */
    public synchronized boolean compute(StreamingQuery query, long epoch, String inputs, boolean large, String output, long limitMs)
            throws Throwable {
        this.files = inputs.split("\n");
        this.large = large;
        this.output = output;
        this.announced = epoch;
        notifyAll();
        long until = System.nanoTime() + limitMs * 1000000L;
        while (emitted < epoch) {
            long leftMs = (until - System.nanoTime()) / 1000000L;
            if (!query.isActive()) {
                throw reason(query);
            }
            if (leftMs <= 0) {
                return false;
            }
            wait(Math.min(leftMs, LOOK_MS));
        }
        return true;
    }

    /** Without the layers in which Spark wraps it. */
    private static Throwable reason(StreamingQuery query) {
        if (query.exception().isEmpty()) {
            return new IllegalStateException("the query ended by itself");
        }
        Throwable error = (Throwable) query.exception().get();
        while (error.getCause() != null && isWrapping(error)) {
            error = error.getCause();
        }
        return error;
    }

    private static boolean isWrapping(Throwable error) {
        return error instanceof StreamingQueryException
                || error.getClass() == SparkException.class && String.valueOf(error.getMessage()).contains("aborted");
    }

    // ---- the query's side

    /** Blocks until there is one; stopping the query interrupts it. */
    synchronized long next(long after) throws InterruptedException {
        while (announced <= after) {
            wait();
        }
        return announced;
    }

    synchronized String file(int input, long epoch) throws InterruptedException {
        while (announced < epoch) {
            wait();  // its offset was written by hand: see levee_spark.lane.closing
        }
        if (epoch != announced) {
            throw new IllegalStateException(
                    "epoch " + epoch + " is no longer spooled: lanes are restarted from checkpoints, never within a batch");
        }
        return files[input];
    }

    synchronized boolean isLarge() {
        return large;
    }

    synchronized void emit(long batch, WriterCommitMessage[] parts) throws IOException {
        if (batch != announced - base - 1) {
            throw new IllegalStateException("Spark is at batch " + batch + ", the lane at " + (announced - base - 1));
        }
        FileOutputStream file = new FileOutputStream(output);
        try {
            for (int i = 0; i < parts.length; i++) {
                file.write(((Rows) parts[i]).stream);
            }
        } finally {
            file.close();
        }
        emitted = announced;
        notifyAll();
    }
}
