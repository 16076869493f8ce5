"""Tiles, order, packing and parallel axes of a proved mapping, with the gap to the optimum."""
