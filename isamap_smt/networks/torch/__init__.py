"""PyTorch's models as networks: `torch.compile(model, backend="isamap")`, and `im.from_torch()`."""
