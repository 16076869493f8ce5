"""From a schedule to C: lower() makes the program, print_c() prints it."""

from isamap_smt.codegen.c_printer import print_c as print_c
from isamap_smt.codegen.lower import lower as lower
