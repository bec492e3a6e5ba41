"""Measurements of Tidemark beside its references. See `scripts/bench`."""
