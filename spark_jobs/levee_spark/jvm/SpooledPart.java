package dev.levee.spark;

import org.apache.spark.sql.connector.read.InputPartition;

/** Every `step`-th batch of a spooled file, from the `first` on. */
final class SpooledPart implements InputPartition {
    final String file;
    final int first;
    final int step;

    SpooledPart(String file, int first, int step) {
        this.file = file;
        this.first = first;
        this.step = step;
    }
}
