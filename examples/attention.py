"""Attention of several heads: scores, softmax row by row, weighted sums of the values. One statement each.

isamap run examples/attention.py:ATTENTION avx2 --sizes h=12,q=128,k=128,d=64
"""

import isamap_smt as im

#: z: one over the root of the length of a head's vectors. The quotient is of each sum, not of each of its terms.
TEXT = """
temporary S, M, E, D, O
S[h,q,k] += Q[h,q,d] * K[h,k,d]
M[h,q] max= S[h,q,k]
E[h,q,k] = exp((S[h,q,k] - M[h,q]) * z[])
D[h,q] += E[h,q,k]
O[h,q,d] += E[h,q,k] * V[h,k,d]
Y[h,q,d] = O[h,q,d] / D[h,q]
"""

ATTENTION = im.kernel(TEXT, name="attention")

#: Row q sees the columns up to q: the others are neither multiplied, compared, added nor written.
CAUSAL = im.kernel(
    """
    temporary S, M, E, D, O
    S[h,q,k] += Q[h,q,d] * K[h,k,d] where k <= q
    M[h,q] max= S[h,q,k] where k <= q
    E[h,q,k] = exp((S[h,q,k] - M[h,q]) * z[]) where k <= q
    D[h,q] += E[h,q,k] where k <= q
    O[h,q,d] += E[h,q,k] * V[h,k,d] where k <= q
    Y[h,q,d] = O[h,q,d] / D[h,q]
    """,
    name="causal_attention",
)
