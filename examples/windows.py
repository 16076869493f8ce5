"""What looks at neighbours without weights that are learned: pooling, bilinear resizing, a stencil. Channels last.

Definitions: ONNX's MaxPool, AveragePool (count_include_pad=0) and Resize (linear, half_pixel). Outside of the image there is
nothing to take a maximum of, and nothing to average.

isamap run examples/windows.py:MAX_POOL host --sizes n=1,p=28,q=28,c=64,r=3,s=3,t=2,pad=1
"""

import isamap_smt as im

#: t: stride. pad: how far the first window begins outside of the image.
_WINDOW = """
param t >= 1
param pad >= 0
H = (P-1)*t + R - 2*pad
W_ = (Q-1)*t + S - 2*pad
I: [N, H, W_, C]
"""
_INSIDE = "where 0 <= t*p+r-pad < H and 0 <= t*q+s-pad < W_"

MAX_POOL = im.kernel(f"{_WINDOW}\nO[n,p,q,c] max= I[n, t*p+r-pad, t*q+s-pad, c] {_INSIDE}", name="max_pool")

#: The same where pad < R and pad < S. In place of what is outside the element at the border is looked at once more, which lies in
#: the window too: nothing is tested, and the compiler computes channels side by side.
MAX_POOL_REPEATED = im.kernel(
    f"{_WINDOW}\nO[n,p,q,c] max= I[n, min(max(t*p+r-pad, 0), H-1), min(max(t*q+s-pad, 0), W_-1), c]",
    name="max_pool_repeated",
)

AVERAGE_POOL = im.kernel(
    f"""{_WINDOW}
    temporary T, D
    T[n,p,q,c] += I[n, t*p+r-pad, t*q+s-pad, c] {_INSIDE}
    D[p,q] += 1 over p, q, r, s {_INSIDE}
    O[n,p,q,c] = T[n,p,q,c] / D[p,q]
    """,
    name="average_pool",
)


def _bilinear() -> str:
    """An output pixel's centre lies at (2*y+1-z)/(2*z) of the input; its neighbours there are cut off at the border."""
    rows = "max((2*y+1-z)//(2*z), 0)", "min((2*y+1-z)//(2*z) + 1, H-1)"
    columns = "max((2*x+1-z)//(2*z), 0)", "min((2*x+1-z)//(2*z) + 1, W_-1)"
    down, right = "((2*y+1-z) % (2*z)) / (2*z)", "((2*x+1-z) % (2*z)) / (2*z)"
    (a, b), (c, d) = ([f"I[n, {row}, {column}, c]" for column in columns] for row in rows)
    left = [f"({one} + ({two} - {one}) * ({right}))" for one, two in ((a, b), (c, d))]
    return f"O[n,y,x,c] = {left[0]} + ({left[1]} - {left[0]}) * ({down})"


#: z times as many rows and columns.
BILINEAR = im.kernel(
    f"""
    param z >= 1
    I: [N,H,W_,C]
    axis y < z*H
    axis x < z*W_
    {_bilinear()}
    """,
    name="bilinear_resize",
)

#: The mean of a point and its four neighbours.
STENCIL = im.kernel("O[i,j] = (A[i+1,j+1] + A[i,j+1] + A[i+2,j+1] + A[i+1,j] + A[i+1,j+2]) * 0.2", name="stencil2d")
