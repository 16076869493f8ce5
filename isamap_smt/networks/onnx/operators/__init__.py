"""The operators of ONNX, by family; each module registers its own."""

from isamap_smt.networks.onnx.operators import attention as attention
from isamap_smt.networks.onnx.operators import elementwise as elementwise
from isamap_smt.networks.onnx.operators import microsoft as microsoft
from isamap_smt.networks.onnx.operators import microsoft_attention as microsoft_attention
from isamap_smt.networks.onnx.operators import microsoft_quantised as microsoft_quantised
from isamap_smt.networks.onnx.operators import movement as movement
from isamap_smt.networks.onnx.operators import norms as norms
from isamap_smt.networks.onnx.operators import products as products
from isamap_smt.networks.onnx.operators import quantised as quantised
from isamap_smt.networks.onnx.operators import recurrent as recurrent
from isamap_smt.networks.onnx.operators import reductions as reductions
from isamap_smt.networks.onnx.operators import scatter as scatter
from isamap_smt.networks.onnx.operators import windows as windows
