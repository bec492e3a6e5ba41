"""Devices whose copy a client of ours keeps."""
