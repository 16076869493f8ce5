"""Matrix times vector. Definition: BLAS level 2, xGEMV (Dongarra et al., 1988), with alpha = beta = 1."""

#: y = y + A x
MATVEC = "y[i] += A[i,k] * x[k]"
