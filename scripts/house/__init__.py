"""How the tree is laid out: reading Swift, measuring it, merging files. See `scripts/check/house`."""
