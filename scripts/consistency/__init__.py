"""Random histories of devices that read and write while the server is killed and frozen, and a checker of what they
saw. See `scripts/check-consistency`."""
