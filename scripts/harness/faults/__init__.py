"""What goes wrong around servers: disks, clocks, networks and proxies, as a check has it."""
