"""Scripts that measure headtree and fit its constants; each is run as ``python -m benchmarks.<name>``."""
