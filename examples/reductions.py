"""Reductions along rows and along columns, and two vectors' product.

isamap run examples/reductions.py:ROW_SUM host --sizes i=100,n=700
"""

import isamap_smt as im

ROW_SUM = im.kernel("y[i] += x[i,n]", name="row_sum")
ROW_MAX = im.kernel("y[i] max= x[i,n]", name="row_max")
COLUMN_SUM = im.kernel("y[n] += x[i,n]", name="column_sum")
COLUMN_MAX = im.kernel("y[n] max= x[i,n]", name="column_max")
DOT = im.kernel("y[] += x[n] * z[n]", name="dot")
