"""Statements without a sum: each element by itself. Activations with functions are in examples/norms.py.

isamap run examples/elementwise.py:ADD host --sizes i=100,n=700
"""

import isamap_smt as im

ADD = im.kernel("y[i,n] = x[i,n] + z[i,n]", name="add")

#: What stands behind a convolution or a product: a scale and a shift for each column, another branch, relu.
SCALE_ADD_RELU = im.kernel("y[i,n] = relu(x[i,n] * g[n] + b[n] + z[i,n])", name="scale_add_relu")
