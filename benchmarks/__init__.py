"""Speed, measured: `python -m benchmarks`."""

import os

os.environ.setdefault("GOUGH_BACKGROUND", "0")  # kernels are measured, not what answers before them
