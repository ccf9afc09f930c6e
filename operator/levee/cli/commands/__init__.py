"""One module per subcommand of `levee`: its flags and its last line; what takes long to import is imported inside."""
