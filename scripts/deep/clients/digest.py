"""The digest that the server gives of its rows, and the one that they have."""


def require_digest(server, rows):
    """Raises if the server's digest of tasks is not that of these rows."""
    said = server.fetch("digest/").json["digest"]["tasks"]
    value = 0
    for row in rows.values():
        value ^= fnv1a(f"{row['id']}\0{row['server_version']}".encode())
    if said != {"count": len(rows), "digest": f"{value:016x}"}:
        raise RuntimeError(f"the digest says {said}, the rows are {len(rows)} and {value:016x}")


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value
