"""Whether instructions agree with their descriptions: each is run, and compared with the interpreter."""

from isamap_smt.runtime.conformance.check import check_hardware as check_hardware
from isamap_smt.runtime.conformance.check import check_instructions as check_instructions
from isamap_smt.runtime.conformance.outcome import Checked as Checked
from isamap_smt.runtime.conformance.outcome import HardwareCheck as HardwareCheck
