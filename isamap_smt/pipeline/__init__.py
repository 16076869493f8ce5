"""All stages in a row, from kernel and hardware to a callable: plan(), build(), compile() and tune(), each in its module.

Nothing is imported here: making a plan does not load the modules for building and running it.
"""
