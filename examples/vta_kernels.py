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

# The image has its zeros around it already: VTA's loads can put them there, and no description says so yet.
conv2d = im.kernel(
    """
    param sp, sq >= 1
    temporary T
    T[n,jo,p,q,o] += i32(X[n, ko, p*sp+r, q*sq+s, c]) * i32(W[jo,ko,r,s,o,c])
    Y[n,jo,p,q,o] = i8(min(relu((T[n,jo,p,q,o] + B[jo,o]) >> 7), 127))
""",
    name="conv2d",
    dtypes={**BYTES, "B": "i32"},
    sizes=PACKED,
)
