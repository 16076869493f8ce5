"""Compiling the C, checking the caller's arrays and running the kernel on them."""
