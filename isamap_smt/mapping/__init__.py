"""Mappings: which kernel point each outer iteration and instruction point computes."""
