"""Compiling the C (`cache`, `compiler`), checking the caller's arrays (`arguments`) and running the kernel on them (`compiled`)."""
