"""Where the largest element is, running sums, and elements found by data.

isamap run examples/indexed.py:ARGMAX host --sizes i=100,j=1000
"""

import isamap_smt as im


def _position(op: str, name: str) -> im.Kernel:
    """The first place of the extremum, or of a NaN where there is one: then the extremum is NaN, and equals nothing.

    Positions have as many bits as the elements of X, so that vectors hold as many of both; where nothing is found, it is J.
    """
    return im.kernel(
        f"""
        temporary M, N
        N: i32
        A: i64
        M[i] {op}= X[i,j]
        N[i] min= select(X[i,j] == M[i], i32(j), select(X[i,j] != X[i,j], i32(j), i32(J)))
        A[i] = i64(N[i])
        """,
        name=name,
    )


ARGMAX, ARGMIN = _position("max", "argmax"), _position("min", "argmin")

#: Row t+1 of S is the sum of the rows up to t of X, added from the first on; row 0 is 0.
CUMULATIVE_SUM = im.kernel(
    """
    for t:
      S[t+1,j] = S[t,j] + X[t,j]
    """,
    name="cumulative_sum",
)

#: The same along rows.
CUMULATIVE_SUM_ALONG = im.kernel(
    """
    for t:
      S[i,t+1] = S[i,t] + X[i,t]
    """,
    name="cumulative_sum_along",
)

#: Rows of a table, by their numbers.
EMBEDDING = im.kernel(
    """
    E: [V,J]
    at: i64
    Y[i,j] = E[at[i], j]
    """,
    name="embedding",
)

#: Sums of L rows of a table, each with a weight.
EMBEDDING_BAG = im.kernel(
    """
    E: [V,J]
    at: i64
    Y[i,j] += E[at[i,l], j] * w[i,l]
    """,
    name="embedding_bag",
)
