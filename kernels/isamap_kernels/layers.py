"""Layers of neural networks: a matrix product and its epilogue.

Definitions: Goodfellow, Bengio, Courville, Deep Learning (2016), chapter 6. The requantised product follows Jacob et
al., Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference (2018), with one
scale per column, rounded to the nearest integer and saturated. The product with weights of 4 bits follows ggml's
formats Q4_0 and Q8_0 (ggml-common.h): blocks of 32 elements along a row, each with a scale of its own.
"""

#: Y = relu(X W + b): weights with one column for each output.
LINEAR_RELU = """
temporary T
T[i,j] += X[i,k] * W[k,j]
Y[i,j] = relu(T[i,j] + b[j])
"""

#: 8-bit Y from 8-bit X and W; s holds the scale of each column.
LINEAR_INT8 = """
temporary T
T: i32
X: u8
W: i8
Y: i8
T[i,j] += i32(X[i,k]) * i32(W[k,j])
Y[i,j] = round_i8(f32(T[i,j]) * s[j])
"""

#: Weights of 4 bits: byte h of a block holds elements h and h + 16, 8 more than they stand for. s, d: scales of W's and X's blocks.
LINEAR_Q4 = """
temporary P, R
axis h < 16
P: i32
R: i32
X: i8[I, B, 2, 16]
W: u8
P[i,j,b] += (i32(W[j,b,h]) & 15) * i32(X[i,b,0,h]) + (i32(W[j,b,h]) >> 4) * i32(X[i,b,1,h])
R[i,b] += i32(X[i,b,p,h])
Y[i,j] += f32(P[i,j,b] - 8 * R[i,b]) * s[j,b] * d[i,b]
"""

#: Two layers, the hidden one with relu.
TWO_LAYERS = """
temporary H
H[i,j] += X[i,k] * W[k,j]
H[i,j] = relu(H[i,j] + b[j])
Y[i,m] += H[i,j] * V[j,m]
Y[i,m] = Y[i,m] + d[m]
"""
