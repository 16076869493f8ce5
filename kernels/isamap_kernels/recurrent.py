"""Recurrent layers: from the states before a step to those after it, for each step of a sequence.

X holds input c of element b of the batch at step t; row 0 of the states is their start, row t+1 the states after
step t. Gates have an axis of their own, in PyTorch's order: W[c,g,j] is element (g*J + j, c) of `weight_ih_l0`,
U[k,g,j] element (g*J + j, k) of `weight_hh_l0`, and `bi` and `bh` are the biases, gate by gate. The inputs' share in
the gates does not wait for any state, so it is one matrix product for all steps.
"""

#: Reset, update and new gate. Cho et al., Learning Phrase Representations using RNN Encoder-Decoder (2014), the reset gate
#: behind the product as in PyTorch: H' = (1-z) tanh(x_n + r h_n) + z H.
GRU = """
temporary P, R, Z
axis g < 3
axis k < J
P[t,b,g,j] += X[t,b,c] * W[c,g,j]
H[0,b,j] = H0[b,j]
for t:
  R[t,b,g,j] += H[t,b,k] * U[k,g,j]
  Z[t,b,j] = sigmoid(P[t,b,1,j] + bi[1,j] + (R[t,b,1,j] + bh[1,j]))
  H[t+1,b,j] = (1.0 - Z[t,b,j]) * tanh(P[t,b,2,j] + bi[2,j]
      + sigmoid(P[t,b,0,j] + bi[0,j] + (R[t,b,0,j] + bh[0,j])) * (R[t,b,2,j] + bh[2,j])) + Z[t,b,j] * H[t,b,j]
"""

#: Input, forget, cell and output gate. Hochreiter and Schmidhuber, Long Short-Term Memory (1997), with the forget gate of Gers,
#: Schmidhuber and Cummins (2000): C' = f C + i tanh(x_g + h_g), H' = o tanh(C').
LSTM = """
temporary P, R
axis g < 4
axis k < J
P[t,b,g,j] += X[t,b,c] * W[c,g,j]
H[0,b,j] = H0[b,j]
C[0,b,j] = C0[b,j]
for t:
  R[t,b,g,j] += H[t,b,k] * U[k,g,j]
  C[t+1,b,j] = (sigmoid(P[t,b,1,j] + bi[1,j] + (R[t,b,1,j] + bh[1,j])) * C[t,b,j]
      + sigmoid(P[t,b,0,j] + bi[0,j] + (R[t,b,0,j] + bh[0,j])) * tanh(P[t,b,2,j] + bi[2,j] + (R[t,b,2,j] + bh[2,j])))
  H[t+1,b,j] = sigmoid(P[t,b,3,j] + bi[3,j] + (R[t,b,3,j] + bh[3,j])) * tanh(C[t+1,b,j])
"""
