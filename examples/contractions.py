"""Contractions of more than two tensors, and multilayer perceptrons.

isamap run examples/contractions.py:MTTKRP host --sizes i=30,j=40,k=50,r=16
"""

import isamap_smt as im

#: A tensor of three dimensions times the Khatri-Rao product of two matrices. Kolda, Bader, Tensor Decompositions and Applications
#: (2009). The inner sum comes first, so that each is a sum of products of two.
MTTKRP = im.kernel(
    """
    temporary T
    T[i,j,r] += X[i,j,k] * C[k,r]
    M[i,r] += T[i,j,r] * B[j,r]
    """,
    name="mttkrp",
)

#: The same as one sum of products of three.
MTTKRP_AT_ONCE = im.kernel("M[i,r] += X[i,j,k] * B[j,r] * C[k,r]", name="mttkrp_at_once")

#: A product that is scaled element by element; S is mostly zeros where it is called a sampled product, and is dense here.
SDDMM = im.kernel(
    """
    temporary T
    T[i,j] += A[i,k] * B[k,j]
    O[i,j] = S[i,j] * T[i,j]
    """,
    name="sddmm",
)


#: A product with K columns of a wider matrix, from column o on, which is given whole: no view, and no copy.
GEMM_OF_A_PART = im.kernel(
    """
    param o, rest >= 0
    A: [I, o+K+rest]
    C[i,j] += A[i,o+k] * B[k,j]
    """,
    name="gemm_of_a_part",
)


def _mlp(activation: str, name: str) -> im.Kernel:
    return im.kernel(
        f"""
        temporary T, G
        T[i,h] += X[i,k] * W[k,h]
        G[i,h] = {activation.replace("x", "(T[i,h] + b[h])")}
        Y[i,j] += G[i,h] * V[h,j]
        """,
        name=name,
    )


GELU_MLP = _mlp("0.5 * x * (1 + erf(x * 0.7071067811865476))", "gelu_mlp")

SILU_MLP = _mlp("x * sigmoid(x)", "silu_mlp")
