package dev.levee.spark;

import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** An Arrow stream: what a partition has given. */
final class Rows implements WriterCommitMessage {
    final byte[] stream;

    Rows(byte[] stream) {
        this.stream = stream;
    }
}
