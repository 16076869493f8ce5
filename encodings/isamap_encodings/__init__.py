"""SymPy statements in, verdicts and solutions out: the only package that imports a solver."""
