"""Rows that are longer than a cache: maxima and sums of exponentials in one pass over blocks, derived and proved, not written.

isamap run examples/online.py:LOG_SUM_EXP avx2 --sizes q=8,k=4000 --fix online.k=500
isamap run examples/online.py:ATTENTION avx2 --sizes q=8,k=4000,d=64,v=64 --fix online.k=500
"""

import isamap_smt as im

LOG_SUM_EXP = im.kernel(
    """
    temporary M, E, D
    M[q] max= x[q,k]
    E[q,k] = exp(x[q,k] - M[q])
    D[q] += E[q,k]
    y[q] = M[q] + log(D[q])
    """,
    name="log_sum_exp",
)

#: A few queries, many keys. z: one over the root of the length of a key.
ATTENTION = im.kernel(
    """
    temporary S, M, E, D, O
    S[q,k] += Q[q,d] * K[k,d]
    M[q] max= S[q,k]
    E[q,k] = exp((S[q,k] - M[q]) * z[])
    D[q] += E[q,k]
    O[q,v] += E[q,k] * V[k,v]
    Y[q,v] = O[q,v] / D[q]
    """,
    name="few_queries",
)

if __name__ == "__main__":
    made = im.online(ATTENTION.with_sizes({"k": 4000}), axis="k", block=500)
    print(made.split.kernel.text)
    print(made)
