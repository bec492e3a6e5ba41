"""What an installation is made of besides servers: databases of either engine, their backups, and a balancer."""
