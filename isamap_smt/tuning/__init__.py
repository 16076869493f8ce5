"""Search among schedules: strategies propose, cost models predict, measurements decide, and a database remembers."""
