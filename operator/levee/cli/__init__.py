"""The `levee` command: one module per subcommand, each imported only when it is called."""
