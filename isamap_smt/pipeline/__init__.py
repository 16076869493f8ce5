"""All stages in a row, from kernel and hardware to a callable: plan(), build(), compile() and tune(), each in its module.

Nothing is imported here, so that a plan is made without what builds and runs it.
"""
