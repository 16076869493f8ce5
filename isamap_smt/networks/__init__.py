"""Networks: kernels handing values to each other, with one plan of their memory.

from_onnx(model) -> Network -> NetworkPlan -> CompiledNetwork
"""
