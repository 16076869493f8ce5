"""Names of constants that stand in intrinsics' headers."""

from __future__ import annotations

_COMPARISONS = (
    "EQ_OQ LT_OS LE_OS UNORD_Q NEQ_UQ NLT_US NLE_US ORD_Q EQ_UQ NGE_US NGT_US FALSE_OQ NEQ_OQ GE_OS GT_OS TRUE_UQ "
    "EQ_OS LT_OQ LE_OQ UNORD_S NEQ_US NLT_UQ NLE_UQ ORD_S EQ_US NGE_UQ NGT_UQ FALSE_OS NEQ_OS GE_OQ GT_OQ TRUE_US"
)
CONSTANTS = {
    **{f"_CMP_{name}": n for n, name in enumerate(_COMPARISONS.split())},
    "_MM_HINT_NTA": 0, "_MM_HINT_T2": 1, "_MM_HINT_T1": 2, "_MM_HINT_T0": 3,
    "INT32_MAX": (1 << 31) - 1, "INT32_MIN": -(1 << 31), "INT16_MAX": 32767, "INT16_MIN": -32768, "INT8_MAX": 127, "INT8_MIN": -128,
}  # fmt: skip
