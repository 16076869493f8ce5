"""Layers of neural networks: a matrix product with what follows it.

Definitions: Goodfellow, Bengio, Courville, Deep Learning (2016), chapter 6; the requantised product is that of Jacob et al.,
Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference (2018), with one scale per
column, rounded to the nearest integer and saturated.
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

#: Two layers, the hidden one with relu.
TWO_LAYERS = """
temporary H
H[i,j] += X[i,k] * W[k,j]
H[i,j] = relu(H[i,j] + b[j])
Y[i,m] += H[i,j] * V[j,m]
Y[i,m] = Y[i,m] + d[m]
"""
