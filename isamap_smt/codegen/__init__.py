"""From a proved program to readable C."""
