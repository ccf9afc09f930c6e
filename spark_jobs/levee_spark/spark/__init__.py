"""The Spark session of a worker: Java, the JVM and its settings."""
