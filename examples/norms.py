"""Normalisations and activations: means, variances, layer norm, RMS norm, softmax, log-sum-exp, GELU and SiLU, row by row.

isamap run examples/norms.py:LAYER_NORM avx2 --sizes i=5,n=37
"""

import isamap_smt as im

MEAN = im.kernel(
    """
    temporary s
    s[i] += x[i,n]
    m[i] = s[i] / N
    """,
    name="mean",
)

#: Mean and variance; the mean first, so that nothing large is subtracted from something large.
VARIANCE = im.kernel(
    """
    temporary s, q
    s[i] += x[i,n]
    m[i] = s[i] / N
    q[i] += (x[i,n] - m[i]) ** 2
    v[i] = q[i] / N
    """,
    name="variance",
)

LAYER_NORM = im.kernel(
    """
    temporary s, m, q, r
    s[i] += x[i,n]
    m[i] = s[i] / N
    q[i] += (x[i,n] - m[i]) ** 2
    r[i] = rsqrt(q[i] / N + 1e-5)
    y[i,n] = (x[i,n] - m[i]) * r[i] * g[n] + b[n]
    """,
    name="layer_norm",
)

RMS_NORM = im.kernel(
    """
    temporary q, r
    q[i] += x[i,n] ** 2
    r[i] = rsqrt(q[i] / N + 1e-6)
    y[i,n] = x[i,n] * r[i] * g[n]
    """,
    name="rms_norm",
)

#: The largest element is subtracted first, so that no exponential overflows.
SOFTMAX = im.kernel(
    """
    temporary top, e, total, share
    top[i] max= x[i,n]
    e[i,n] = exp(x[i,n] - top[i])
    total[i] += e[i,n]
    share[i] = 1 / total[i]
    y[i,n] = e[i,n] * share[i]
    """,
    name="softmax",
)

#: Row q of the scores sees the columns up to q alone: the others are neither compared, added nor written, and stay 0.
CAUSAL_SOFTMAX = im.kernel(
    """
    temporary top, e, total
    top[q] max= s[q,k] where k <= q
    e[q,k] = exp(s[q,k] - top[q]) where k <= q
    total[q] += e[q,k] where k <= q
    y[q,k] = e[q,k] / total[q] where k <= q
    """,
    name="causal_softmax",
)

LOG_SUM_EXP = im.kernel(
    """
    temporary top, total
    top[i] max= x[i,n]
    total[i] += exp(x[i,n] - top[i])
    y[i] = log(total[i]) + top[i]
    """,
    name="log_sum_exp",
)

GELU = im.kernel("y[i] = 0.5 * x[i] * (1 + erf(x[i] * 0.7071067811865476))", name="gelu")

GELU_TANH = im.kernel(
    "y[i] = 0.5 * x[i] * (1 + tanh(0.7978845608028654 * (x[i] + 0.044715 * x[i] ** 3)))", name="gelu_tanh"
)

SILU = im.kernel("y[i] = x[i] * sigmoid(x[i])", name="silu")
