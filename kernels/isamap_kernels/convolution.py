"""Two-dimensional convolutions as neural networks mean them: cross-correlation, channels last (NHWC).

Definitions: ONNX operator Conv, with group = 1 (`CONV2D`) or one group for each channel (`DEPTHWISE_CONV2D`).
sp, sq are strides, dp, dq dilations, pp, pq zeros on each side. The input extents follow from the output's:
H = (P-1)*sp + (R-1)*dp + 1 - 2*pp, the smallest input that gives P rows. Zero padding is a guard: outside the
input there is nothing to add.
"""

_WINDOW = """
param sp, sq, dp, dq >= 1
param pp, pq >= 0
H = (P-1)*sp + (R-1)*dp + 1 - 2*pp
W_ = (Q-1)*sq + (S-1)*dq + 1 - 2*pq
I: [N, H, W_, C]
"""

#: Every output channel sums over the window and all input channels.
CONV2D = f"""{_WINDOW}
O[n,p,q,k] += I[n, p*sp+r*dp-pp, q*sq+s*dq-pq, c] * W[r,s,c,k]
    where 0 <= p*sp+r*dp-pp < H and 0 <= q*sq+s*dq-pq < W_
"""

#: Every channel by itself.
DEPTHWISE_CONV2D = f"""{_WINDOW}
O[n,p,q,c] += I[n, p*sp+r*dp-pp, q*sq+s*dq-pq, c] * W[r,s,c]
    where 0 <= p*sp+r*dp-pp < H and 0 <= q*sq+s*dq-pq < W_
"""

#: A window of one element: a matrix product for each pixel.
POINTWISE_CONV2D = "O[n,p,q,k] += I[n,p,q,c] * W[c,k]"

#: Each channel by itself, then a matrix product over the channels of each pixel. Definition: Howard et al., MobileNets (2017).
DEPTHWISE_SEPARABLE_CONV2D = f"""{_WINDOW}
temporary T
T[n,p,q,c] += I[n, p*sp+r*dp-pp, q*sq+s*dq-pq, c] * D[r,s,c]
    where 0 <= p*sp+r*dp-pp < H and 0 <= q*sq+s*dq-pq < W_
O[n,p,q,k] += T[n,p,q,c] * W[c,k]
"""
