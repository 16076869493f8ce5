"""Matrix products. Definitions: BLAS level 3, xGEMM (Dongarra et al., 1990), with alpha = beta = 1."""

#: C = C + A B
GEMM = "C[i,j] += A[i,k] * B[k,j]"

#: C = C + A transpose(B): both operands lie along k, as the weights of a linear layer do.
GEMM_NT = "C[i,j] += A[i,k] * B[j,k]"

#: C = C + transpose(A) B: both operands lie across k, as activations stored column by column do.
GEMM_TN = "C[i,j] += A[k,i] * B[k,j]"

#: One product for every b.
BATCHED_GEMM = "C[b,i,j] += A[b,i,k] * B[b,k,j]"
