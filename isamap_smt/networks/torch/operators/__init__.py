"""Functions for operators of ATen; importing these modules registers them."""

from isamap_smt.networks.torch.operators import elementwise, movement, recurrent, sums

__all__ = ["elementwise", "movement", "recurrent", "sums"]
