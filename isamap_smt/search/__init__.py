"""Enumeration of candidate mappings, complete within a stated family."""
