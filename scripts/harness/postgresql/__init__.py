"""Real PostgreSQL servers for tests and trials: one server with standbys, or a cluster under Patroni."""
