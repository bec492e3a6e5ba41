"""What the checks and the measurements share: servers, clients, drains, projects, and a temporary folder."""
