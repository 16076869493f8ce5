"""What this machine can do, measured once: bandwidths, instruction rates and latencies, and the cost of threads."""
