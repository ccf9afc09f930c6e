package dev.levee.spark;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

import org.apache.spark.sql.connector.read.InputPartition;

/** Every `step`-th batch of a spooled file, from the `first` on. */
final class SpooledPart implements InputPartition {
    final String file;
    final int first;
    final int step;
    final boolean atDriver;  // and perhaps not on this machine

    SpooledPart(String file, int first, int step, boolean atDriver) {
        this.file = file;
        this.first = first;
        this.step = step;
        this.atDriver = atDriver;
    }

    static SpooledPart ofDriver(String file) {
        return new SpooledPart(file, 0, 1, true);
    }

    InputStream open() throws IOException {
        return atDriver ? (InputStream) new DriverFiles.Reading(file) : (InputStream) new FileInputStream(file);
    }
}
