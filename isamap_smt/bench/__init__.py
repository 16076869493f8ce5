"""Compiled kernels against the best libraries: the same problem, the same turn, the same machine, results checked.

suites      which problems: DeepBench's sizes, by operator and element type
contenders  who takes part: isamap, and every peer that is installed
session     one process for each contender, so that a crash is a result and threads stay apart
turns       A B A B, with a probe that notices when the machine is not quiet
results     one file, whole after every shape, that a later run goes on from
"""
