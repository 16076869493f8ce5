"""Compiling the C, checking the caller's arrays and running the kernel on them."""

from isamap_smt.runtime.cache import build_library as build_library
from isamap_smt.runtime.compiled import CompiledKernel as CompiledKernel
from isamap_smt.runtime.compiled import PackedKernel as PackedKernel
from isamap_smt.runtime.compiled import build_program as build_program
from isamap_smt.runtime.compiler import find_compiler as find_compiler
