"""Attempts to break Tidemark. See `scripts/check-deep`."""
