"""What scripts/release puts into a release beside the binary."""
