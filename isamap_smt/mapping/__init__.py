"""Mappings: the kernel point computed at each outer iteration and instruction point."""
