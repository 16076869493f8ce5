"""The values of every stage, from Kernel to Program. This layer imports nothing else of isamap_smt."""
