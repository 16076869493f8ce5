"""Layers of bytes: a product with bias and ReLU, two layers one after the other, a block of MobileNet v2.

isamap run examples/quantised_layers.py:MLP gemmini --sizes i=20,j=18,k=33,m=8
"""

import isamap_smt as im

BYTES, SUMS = "i8", "i32"


def layers(name: str, text: str, sums: str) -> im.Kernel:
    """A kernel of bytes. sums: tensors of sums and of what is added to them."""
    made = im.kernel(text, name=name)
    return made.with_dtypes({t.name: SUMS if t.name in sums.split() else BYTES for t in made.tensors})


LINEAR = layers(
    "linear",
    """
    temporary T
    T[i,j] += i32(X[i,k]) * i32(W[k,j])
    Y[i,j] = round_i8(relu(f32(T[i,j] + b[j]) * 0.0007))
    """,
    sums="T b",
)

#: A layer as ONNX's QLinearMatMul and torch's quantized.linear_relu have it. b: the bias less the zero point of X times the sums of
#: W's columns; m: the scale of X times those of W's columns, over that of Y. Y has the zero point 0, so its range is the relu.
QLINEAR = im.kernel(
    """
    temporary T
    T[i,j] += i32(X[i,k]) * i32(W[k,j])
    Y[i,j] = round_u8(f32(T[i,j] + b[j]) * m[j])
    """,
    name="qlinear",
    dtypes={"X": "u8", "W": BYTES, "T": SUMS, "b": SUMS, "m": "f32", "Y": "u8"},
)

MLP = layers(
    "mlp",
    """
    temporary T, H, U
    T[i,j] += i32(X[i,k]) * i32(W[k,j])
    H[i,j] = round_i8(relu(f32(T[i,j] + b[j]) * 0.0007))
    U[i,m] += i32(H[i,j]) * i32(V[j,m])
    Y[i,m] = round_i8(f32(U[i,m] + d[m]) * 0.002)
    """,
    sums="T U b d",
)

#: More channels, a window in each of them, fewer channels, and the input again.
MOBILENET_BLOCK = layers(
    "mobilenet_block",
    """
    temporary A, E, B, G, U
    A[p,q,e] += i32(X[p,q,c]) * i32(W[c,e])
    E[p,q,e] = round_i8(relu(f32(A[p,q,e] + a[e]) * 0.0007))
    B[p,q,e] += i32(E[p+r-1,q+t-1,e]) * i32(K[r,t,e]) where 0 <= p+r-1 < P and 0 <= q+t-1 < Q
    G[p,q,e] = round_i8(relu(f32(B[p,q,e] + b[e]) * 0.002))
    U[p,q,c] += i32(G[p,q,e]) * i32(V[e,c])
    Y[p,q,c] = round_i8(f32(U[p,q,c] + i32(X[p,q,c])) * 0.002)
    """,
    sums="A B U a b",
)
