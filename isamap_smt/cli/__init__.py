"""The command line, `isamap`."""
