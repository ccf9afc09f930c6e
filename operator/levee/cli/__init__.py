"""The `levee` command. `commands` holds one module per subcommand, imported when it is called; the rest is what they are made of."""
