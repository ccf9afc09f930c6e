"""Workers: one process, one Spark session, any number of replicas."""
