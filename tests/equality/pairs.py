"""Pairs of kernels that compute the same, and twins of them that do not."""

GEMM = "C[i,j] += A[i,k] * B[k,j]"
CONV = "Y[p,q,m] += X[p+r,q+s,c] * W[r,s,c,m]"
SHAPES = """
X: [P+R-1,Q+S-1,C]
W: [R,S,C,M_]
axis p < P
axis q < Q
axis r < R
axis s < S
axis m < M_
"""
PADDED = """
param 0 <= h <= 2
X: [N]
W: [R]
Y: [N]
axis n < N
"""
VARIANCE = """
temporary mean
mean[i] += X[i,n] / N
V[i] += (X[i,n] - mean[i]) * (X[i,n] - mean[i]) / N
"""
MOMENTS = """
temporary mean, square
mean[i] += X[i,n] / N
square[i] += X[i,n] * X[i,n] / N
V[i] = square[i] - mean[i] * mean[i]
"""
NORM = """
temporary mean, var
mean[i] += X[i,n] / N
var[i] += (X[i,n] - mean[i]) * (X[i,n] - mean[i]) / N
Y[i,n] = (X[i,n] - mean[i]) / sqrt(var[i] + 0.001) * G[n] + B[n]
"""
NORM_OF_MOMENTS = """
temporary one, two, scale
one[i] += X[i,n]
two[i] += X[i,n] * X[i,n]
scale[i] = rsqrt(two[i] / N - one[i] / N * (one[i] / N) + 0.001)
Y[i,n] = X[i,n] * scale[i] * G[n] + (B[n] - one[i] / N * scale[i] * G[n])
"""
SOFTMAX = """
temporary e, s
e[i,j] = exp(X[i,j])
s[i] += e[i,j]
Y[i,j] = e[i,j] / s[i]
"""
STABLE = """
temporary m, e, s
m[i] max= X[i,j]
e[i,j] = exp(X[i,j] - m[i])
s[i] += e[i,j]
Y[i,j] = e[i,j] / s[i]
"""
WINOGRAD = """
temporary M
D: [2*T+2]
G: [3]
Y: [2*T]
axis t < T
M[t,0] = (D[2*t] - D[2*t+2]) * G[0]
M[t,1] = (D[2*t+1] + D[2*t+2]) * (G[0] + G[1] + G[2]) / 2
M[t,2] = (D[2*t+2] - D[2*t+1]) * (G[0] - G[1] + G[2]) / 2
M[t,3] = (D[2*t+1] - D[2*t+3]) * G[2]
Y[2*t] = M[t,0] + M[t,1] + M[t,2]
Y[2*t+1] = M[t,1] - M[t,2] - M[t,3]
"""
TAPS = """
D: [P+2]
G: [3]
axis p < P
axis r < 3
Y[p] += D[p+r] * G[r]
"""
SCATTER = """
param s >= 1
X: [P]
W: [R]
Y: [(P-1)*s+R]
Y[s*p+r] += X[p] * W[r]
"""
GATHER = """
param s >= 1
X: [P]
W: [R]
Y: [(P-1)*s+R]
axis y < (P-1)*s+R
Y[y] += X[(y-r)//s] * W[r] where 0 <= (y-r)//s < P and (y-r) % s == 0
"""

EQUAL = {
    "commuted product": (GEMM, "C[i,j] += B[k,j] * A[i,k]"),
    "convolution as im2col and product": (
        CONV,
        f"temporary T, Z\n{SHAPES}"
        "T[p*Q+q,(r*S+s)*C+c] = X[p+r,q+s,c]\n"
        "Z[p*Q+q,m] += T[p*Q+q,(r*S+s)*C+c] * W[r,s,c,m]\n"
        "Y[p,q,m] = Z[p*Q+q,m]",
    ),
    "1x1 convolution as product": (
        "Y[n,p,q,m] += X[n,p,q,c] * W[c,m]",
        "temporary R, Z\nX: [N,P,Q,C]\nY: [N,P,Q,M_]\nR: [N*P*Q,C]\nZ: [N*P*Q,M_]\nW: [C,M_]\naxis m < M_\n"
        "R[(n*P+p)*Q+q,c] = X[n,p,q,c]\n"
        "Z[(n*P+p)*Q+q,m] += R[(n*P+p)*Q+q,c] * W[c,m]\n"
        "Y[n,p,q,m] = Z[(n*P+p)*Q+q,m]",
    ),
    "split sum, four apart": (
        GEMM,
        "temporary P\nA: [I,S*4]\nB: [S*4,J]\naxis q < 4\nP[i,j,s] += A[i,4*s+q] * B[4*s+q,j]\nC[i,j] += P[i,j,s]",
    ),
    "split sum, any number apart": (
        GEMM,
        "temporary P\nA: [I,S*Q]\nB: [S*Q,J]\nP[i,j,q] += A[i,Q*s+q] * B[Q*s+q,j]\nC[i,j] += P[i,j,q]",
    ),
    "transposed convolution from both sides": (SCATTER, GATHER),
    "separable filter": (
        "Y[i,j] += X[i+r,j+s] * u[r] * v[s]",
        "temporary T\nT[i,b] += X[i+r,b] * u[r]\nY[i,j] += T[i,j+s] * v[s]\nT: [I,J+S-1]\naxis b < J+S-1",
    ),
    "depthwise and pointwise, fused": (
        "temporary T\nT[p,c] += X[p+r,c] * D[r,c]\nY[p,m] += T[p,c] * W[c,m]",
        "Y[p,m] += X[p+r,c] * D[r,c] * W[c,m]",
    ),
    "(AB)C and A(BC)": (
        "temporary T\nT[i,l] += A[i,k] * B[k,l]\nY[i,j] += T[i,l] * C[l,j]",
        "temporary T\nT[k,j] += B[k,l] * C[l,j]\nY[i,j] += A[i,k] * T[k,j]",
    ),
    "average pool as convolution": (
        "temporary T\naxis r < 2\naxis s < 2\nT[p,q] += X[2*p+r,2*q+s]\nY[p,q] = T[p,q] / 4",
        "axis r < 2\naxis s < 2\nY[p,q] += 0.25 * X[2*p+r,2*q+s]",
    ),
    "two forms of a variance": (VARIANCE, MOMENTS),
    "two forms of a layer norm": (NORM, NORM_OF_MOMENTS),
    "softmax with and without its maximum": (SOFTMAX, STABLE),
    "logarithm of a sum of exponentials": (
        "temporary s\ns[i] += exp(X[i,k])\nY[i] = log(s[i])",
        "temporary m, s\nm[i] max= X[i,k]\ns[i] += exp(X[i,k] - m[i])\nY[i] = m[i] + log(s[i])",
    ),
    "Winograd F(2,3)": (TAPS, WINOGRAD),
    "reversed axis": ("y[i] += X[i,k] * w[k]", "y[i] += X[i,K-1-k] * w[K-1-k]"),
    "permuted axes": ("s[0] += X[i,j,k] * X[i,j,k]", "s[0] += X[i,j,k] * X[i,j,k] over k, j, i"),
    "padding by a guard and by a copy": (
        f"{PADDED}axis r < R\nY[n] += X[n+r-h] * W[r] where 0 <= n+r-h < N",
        f"temporary Z\n{PADDED}axis r < R\nZ: [N+R+4]\nZ[n+h] = X[n]\nY[n] += Z[n+r] * W[r]",
    ),
    "halves of a sum": (
        "s[i] += X[i,k]",
        "temporary a, b\nX: [I,2*H]\naxis h < H\na[i] += X[i,h]\nb[i] += X[i,H+h]\ns[i] = a[i] + b[i]",
    ),
    "even and odd": (
        "X: [2*T]\nW: [2*T]\naxis k < 2*T\ns[i] += X[k] * W[k] * A[i]",
        "X: [2*T]\nW: [2*T]\ns[i] += (X[2*t] * W[2*t] + X[2*t+1] * W[2*t+1]) * A[i]",
    ),
    "silu by two formulas": ("Y[i] = X[i] * sigmoid(X[i])", "Y[i] = X[i] * (1 + tanh(X[i] / 2)) / 2"),
    "maximum by a choice": (
        "Y[i] = max(X[i], W[i]) + relu(X[i])",
        "Y[i] = select(X[i] <= W[i], W[i], X[i]) + select(X[i] > 0, X[i], 0)",
    ),
    "maximum of maxima": (
        "m[i] max= X[i,k]",
        "temporary p\nX: [I,S*8]\naxis q < 8\np[i,s] max= X[i,8*s+q]\nm[i] max= p[i,s]",
    ),
    "causal scores, masked and cut": (
        "temporary S\nS[q,k] += Q[q,d] * K[k,d]\nO[q,e] += select(k <= q, S[q,k], 0) * V[k,e]",
        "temporary S\nS[q,k] += Q[q,d] * K[k,d] where k <= q\nO[q,e] += S[q,k] * V[k,e]",
    ),
    "zero points outside of the sum": (
        "C: i32\nA: u8\nB: i8\nza: i32\nC[i,j] += (i32(A[i,k]) - za[]) * i32(B[k,j])",
        "temporary S, T\nC: i32\nS: i32\nT: i32\nA: u8\nB: i8\nza: i32\n"
        "S[i,j] += i32(A[i,k]) * i32(B[k,j])\nT[j] += i32(B[k,j])\nC[i,j] = S[i,j] - za[] * T[j]",
    ),
}

# name: (kernel, its twin, the result that differs)
WRONG = {
    "im2col whose columns are exchanged": (
        CONV,
        f"temporary T, Z\n{SHAPES}"
        "T[p*Q+q,(r*S+s)*C+c] = X[p+r,q+s,c]\n"
        "Z[p*Q+q,m] += T[p*Q+q,(r*S+s)*C+c] * W[r,S-1-s,c,m]\n"
        "Y[p,q,m] = Z[p*Q+q,m]",
    ),
    "split sum that leaves one out": (
        GEMM,
        "temporary P\nA: [I,S*4]\nB: [S*4,J]\naxis q < 3\nP[i,j,s] += A[i,4*s+q] * B[4*s+q,j]\nC[i,j] += P[i,j,s]",
    ),
    "products in the wrong order": (
        "temporary T\nT[i,l] += A[i,k] * B[k,l]\nY[i,j] += T[i,l] * C[l,j]\nA: [N,N]\nB: [N,N]\nC: [N,N]\n"
        "axis i < N\naxis j < N\naxis k < N\naxis l < N",
        "temporary T\nT[i,l] += B[i,k] * A[k,l]\nY[i,j] += T[i,l] * C[l,j]\nA: [N,N]\nB: [N,N]\nC: [N,N]\n"
        "axis i < N\naxis j < N\naxis k < N\naxis l < N",
    ),
    "variance without the mean's square": (VARIANCE, MOMENTS.replace("mean[i] * mean[i]", "mean[i]")),
    "variance by N-1": (VARIANCE, VARIANCE.replace("mean[i]) / N", "mean[i]) / (N - 1)")),
    "layer norm whose epsilon is outside": (NORM, NORM.replace("sqrt(var[i] + 0.001)", "(sqrt(var[i]) + 0.001)")),
    "softmax over the other axis": (
        f"X: [N,N]\naxis i < N\naxis j < N\n{SOFTMAX}",
        f"X: [N,N]\naxis i < N\naxis j < N\n{SOFTMAX.replace('s[i]', 's[j]')}",
    ),
    "Winograd with a sign": (TAPS, WINOGRAD.replace("G[0] - G[1]", "G[0] + G[1]")),
    "gather without the remainder": (SCATTER, GATHER.replace(" and (y-r) % s == 0", "")),
    "reversed on one side": ("y[i] += X[i,k] * w[k]", "y[i] += X[i,K-1-k] * w[k]"),
    "padding one off": (
        f"{PADDED}axis r < R\nY[n] += X[n+r-h] * W[r] where 0 <= n+r-h < N",
        f"{PADDED}axis r < R\nY[n] += X[n+r-h] * W[r] where 0 < n+r-h < N",
    ),
    "halves that overlap": (
        "X: [2*H]\naxis k < 2*H\ns[0] += X[k]",
        "temporary a, b\nX: [2*H]\naxis h < H\na[0] += X[h]\nb[0] += X[h+H-1]\ns[0] = a[0] + b[0]",
    ),
    "mask that leaves out the diagonal": (
        "temporary S\nS[q,k] += Q[q,d] * K[k,d]\nO[q,e] += select(k <= q, S[q,k], 0) * V[k,e]",
        "temporary S\nS[q,k] += Q[q,d] * K[k,d] where k < q\nO[q,e] += S[q,k] * V[k,e]",
    ),
    "a byte that wraps": (
        "Y: u8\nX: u8\nY[i] = X[i] + X[i]",
        "Y: u8\nX: u8\nY[i] = sat_u8(X[i] + X[i])",
    ),
}
