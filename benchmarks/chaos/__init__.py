"""What a topology survives on a real cluster, and for how long nothing comes out meanwhile, beside a plain Spark pod."""
