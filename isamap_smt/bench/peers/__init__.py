"""The contenders, one file per library. Each has a function that opens a case: see isamap_smt.bench.turns.Open."""
