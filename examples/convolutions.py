"""Convolutions of other forms: groups, three dimensions, dilation, transposed (both ways round), capsules, weights of each image.

Cross-correlations, channels last, as in `isamap_kernels.convolution`; ONNX's Conv and ConvTranspose say what they are. A capsule
is a small matrix in place of a number: Hinton, Sabour, Frosst, Matrix capsules with EM routing (2018).

isamap run examples/convolutions.py:GROUPED host --sizes n=1,p=14,q=14,g=4,k=16,c=16,r=3,s=3
"""

import isamap_smt as im

#: Channels in groups: output channel k of group g sums over the input channels of its own group.
GROUPED = im.kernel("O[n,p,q,g,k] += I[n,p+r,q+s,g,c] * W[g,r,s,c,k]", name="grouped_conv2d")

VOLUME = im.kernel("O[n,p,q,v,k] += I[n,p+r,q+s,v+w,c] * W[r,s,w,c,k]", name="conv3d")

#: Neighbours of the window lie d apart.
DILATED = im.kernel(
    """
    param d >= 1
    O[n,p,q,k] += I[n,p+d*r,q+d*s,c] * W[r,s,c,k]
    """,
    name="dilated_conv2d",
)

#: Every input pixel adds its window, t apart, to the output.
TRANSPOSED = im.kernel(
    """
    param t >= 1
    O[n,t*p+r,t*q+s,k] += I[n,p,q,c] * W[r,s,c,k]
    """,
    name="transposed_conv2d",
)

#: The same, asked from the output: a pixel sums over what reaches it, which is at every t-th place of the window.
TRANSPOSED_BY_OUTPUT = im.kernel(
    """
    param t >= 1
    size P, Q
    I: [N,P,Q,C]
    axis y < t*(P-1)+R
    axis x < t*(Q-1)+S
    O[n,y,x,k] += I[n,(y-r)//t,(x-s)//t,c] * W[r,s,c,k]
        where (y-r) % t == 0 and (x-s) % t == 0 and 0 <= y-r and 0 <= x-s and (y-r)//t < P and (x-s)//t < Q
    """,
    name="transposed_conv2d_by_output",
)

#: Each pixel of each capsule is a matrix of I x M numbers, multiplied by one of M x J.
CAPSULE = im.kernel("O[n,p,q,k,i,j] += I[n,p+r,q+s,c,i,m] * W[r,s,c,k,m,j]", name="capsule_conv2d")

#: Every image has its own weights.
BATCHED_WEIGHTS = im.kernel("O[n,p,q,k] += I[n,p+r,q+s,c] * W[n,r,s,c,k]", name="batched_weight_conv2d")
