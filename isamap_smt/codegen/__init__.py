"""From a schedule to C: lower() makes the program, print_c() prints it once it is proved."""

from isamap_smt.codegen.c_printer import print_c as print_c
from isamap_smt.codegen.lower import lower as lower
from isamap_smt.codegen.lower import lower_points as lower_points
from isamap_smt.codegen.printed import PrintedC as PrintedC
