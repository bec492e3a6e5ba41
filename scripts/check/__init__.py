"""Checks of the release binary from outside. See `scripts/check-blackbox`."""
