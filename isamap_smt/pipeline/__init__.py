"""All stages in a row, from kernel and hardware to a callable: plan(), build() and compile()."""

from isamap_smt.pipeline.build import build as build
from isamap_smt.pipeline.build import compile as compile
from isamap_smt.pipeline.plan import Plan as Plan
from isamap_smt.pipeline.plan import plan as plan
from isamap_smt.pipeline.tune import tune as tune
