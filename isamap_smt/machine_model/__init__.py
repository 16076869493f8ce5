"""This machine's abilities, measured once: bandwidths, instruction rates and latencies, and the cost of threads."""
