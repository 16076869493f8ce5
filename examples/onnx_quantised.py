"""ONNX's QLinearMatMul and QLinearConv, and a dynamic int8 linear layer: zero points, one scale per column, rounding half to even.

ONNX: Y = saturate(round((A - za) (B - zb) * (sa sb / sy)) + zy), the rounding to the nearest, ties to even. s holds sa sb / sy of
each column in f32, as runtimes compute it. The differences are multiplied out, so that the sum is one of bytes, as instructions
take it: sum (A - za)(B - zb) = sum A B - zb sum A - za sum B + K za zb, modulo 2^32, exactly.

isamap run examples/onnx_quantised.py:QLINEAR_MATMUL host --sizes i=20,j=30,k=40
"""

import isamap_smt as im

QLINEAR_MATMUL = im.kernel(
    """
    temporary T, R, D
    T: i32
    R: i32
    D: i32
    A: u8
    B: i8
    za: u8
    zb: i8
    zy: u8
    Y: u8
    T[i,j] += i32(A[i,k]) * i32(B[k,j])
    R[i] += i32(A[i,k])
    D[j] += i32(B[k,j])
    Y[i,j] = sat_u8(round_i32(f32(
        T[i,j] - i32(zb[j]) * R[i] - i32(za[]) * D[j] + i32(K) * i32(za[]) * i32(zb[j])) * s[j]) + i32(zy[]))
    """,
    name="qlinear_matmul",
)

#: Weights have the zero point 0, as ONNX's quantisers make them. The image is laid out with its border, which holds the zero point:
#: that stands for 0. t: stride. pad: the border's width. b: bias in units of the sum.
QLINEAR_CONV = im.kernel(
    """
    param t >= 1
    param pad >= 0
    H = (P-1)*t + R - 2*pad
    W_ = (Q-1)*t + S - 2*pad
    temporary X, T, D
    I: u8[N,H,W_,C]
    X: u8[N,H+2*pad,W_+2*pad,C]
    axis y < H+2*pad
    axis x < W_+2*pad
    T: i32
    D: i32
    F: i8
    b: i32
    z: u8
    zy: u8
    O: u8
    X[n,y,x,c] = select(max(min(y-pad, H-1), 0) == y-pad,
        select(max(min(x-pad, W_-1), 0) == x-pad, I[n, max(min(y-pad, H-1), 0), max(min(x-pad, W_-1), 0), c], z[]), z[])
    T[n,p,q,k] += i32(X[n,t*p+r,t*q+s,c]) * i32(F[r,s,c,k])
    D[k] += i32(F[r,s,c,k])
    O[n,p,q,k] = sat_u8(round_i32(f32(T[n,p,q,k] - i32(z[]) * D[k] + b[k]) * m[k]) + i32(zy[]))
    """,
    name="qlinear_conv",
)

#: Weights of 8 bits with one scale per column, results in f32.
INT8_LINEAR = im.kernel(
    """
    temporary T
    T: i32
    X: u8
    W: i8
    T[i,j] += i32(X[i,k]) * i32(W[k,j])
    Y[i,j] = f32(T[i,j]) * s[j] + b[j]
    """,
    name="int8_linear",
)
