"""Clients that listen to `GET /events/`."""
