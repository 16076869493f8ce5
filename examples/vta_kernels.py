"""Kernels as VTA's main memory takes them: tensors end in axes of 16, weights in blocks of [16 out][16 in], as TVM packs them.

isamap run examples/vta_kernels.py:dense vta --sizes i=37,jo=3,ko=5
"""

import isamap_smt as im

BYTES = {"T": "i32", "X": "i8", "W": "i8", "Y": "i8"}
PACKED = {"o": 16, "c": 16}

dense = im.kernel(
    """
    temporary T
    T[i,jo,o] += i32(X[i,ko,c]) * i32(W[jo,ko,o,c])
    Y[i,jo,o] = i8(max(min(T[i,jo,o] >> 7, 127), -128))
""",
    name="dense",
    dtypes=BYTES,
    sizes=PACKED,
)

dense_relu = im.kernel(
    """
    temporary T
    T[i,jo,o] += i32(X[i,ko,c]) * i32(W[jo,ko,o,c])
    Y[i,jo,o] = i8(min(relu((T[i,jo,o] + B[jo,o] + 64) >> 7), 127))
""",
    name="dense_relu",
    dtypes={**BYTES, "B": "i32"},
    sizes=PACKED,
)

dense_residual = im.kernel(
    """
    temporary T
    T[i,jo,o] += i32(X[i,ko,c]) * i32(W[jo,ko,o,c])
    Y[i,jo,o] = i8(max(min((T[i,jo,o] + R[i,jo,o]) >> 7, 127), -128))
""",
    name="dense_residual",
    dtypes={**BYTES, "R": "i32"},
    sizes=PACKED,
)

dense_shortcut = im.kernel(
    """
    temporary T
    T[i,jo,o] += i32(X[i,ko,c]) * i32(W[jo,ko,o,c])
    Y[i,jo,o] = i8(min(relu(((T[i,jo,o] + B[jo,o]) >> 7) + R[i,jo,o]), 127))
""",
    name="dense_shortcut",
    dtypes={**BYTES, "B": "i32", "R": "i32"},
    sizes=PACKED,
)

# Inputs and results in rows of any number of 16s; weights are blocks, since VTA loads nothing else.
dense_rows = im.kernel(
    """
    X: [I, 16*KO]
    Y: [I, 16*JO]
    temporary T
    T[i,jo,o] += i32(X[i,16*ko+c]) * i32(W[jo,ko,o,c])
    Y[i,16*jo+o] = i8(min(relu((T[i,jo,o] + B[16*jo+o]) >> 7), 127))
""",
    name="dense_rows",
    dtypes={**BYTES, "B": "i32"},
    sizes=PACKED,
)

# The image lies in main memory without zeros around it: the loads put pp rows and pq columns of them there.
WINDOW = """
    param sp, sq >= 1
    param pp, pq >= 0
    X: [N, KO, H, V, 16]
    temporary T
    T[n,jo,p,q,o] += i32(X[n, ko, p*sp+r-pp, q*sq+s-pq, c]) * i32(W[jo,ko,r,s,o,c]) where 0 <= p*sp+r-pp < H and 0 <= q*sq+s-pq < V
"""

conv2d = im.kernel(
    WINDOW + "    Y[n,jo,p,q,o] = i8(min(relu((T[n,jo,p,q,o] + B[jo,o]) >> 7), 127))",
    name="conv2d",
    dtypes={**BYTES, "B": "i32"},
    sizes=PACKED,
)

# The second convolution of a block, and what went around the block: numbers of 32 bits, which VTA loads where the sums lie.
conv2d_residual = im.kernel(
    WINDOW + "    Y[n,jo,p,q,o] = i8(min(relu(((T[n,jo,p,q,o] + B[jo,o]) >> 7) + Z[n,jo,p,q,o]), 127))",
    name="conv2d_residual",
    dtypes={**BYTES, "B": "i32", "Z": "i32"},
    sizes=PACKED,
)

# A block of ResNet-18, without a change of stride: the second phase reads what the first one has stored, its zeros included.
block = im.kernel(
    """
    X: [KO, P, Q, 16]
    temporary T, H, U
    T[jo,p,q,o] += i32(X[ko,p+r-1,q+s-1,c]) * i32(W[jo,ko,r,s,o,c]) where 0 <= p+r-1 < P and 0 <= q+s-1 < Q
    H[jo,p,q,o] = i8(min(relu((T[jo,p,q,o] + B[jo,o]) >> 7), 127))
    U[ko,p,q,c] += i32(H[jo,p+r-1,q+s-1,o]) * i32(V[ko,jo,r,s,c,o]) where 0 <= p+r-1 < P and 0 <= q+s-1 < Q
    Y[ko,p,q,c] = i8(min(relu(((U[ko,p,q,c] + D[ko,c]) >> 7) + Z[ko,p,q,c]), 127))
""",
    name="block",
    dtypes={**BYTES, **dict.fromkeys("HV", "i8"), **dict.fromkeys("UBDZ", "i32")},
    sizes={**PACKED, "r": 3, "s": 3},
)
