"""Sends a file by tuspy. Is run by a Python that has it: FILE ADDRESS TOKEN SHA256 FILE-FOR-ADDRESSES."""

import sys

from tusclient.client import TusClient
from tusclient.storage.filestorage import FileStorage

CHUNK = 256 << 10

file, address, token, digest, storage = sys.argv[1:]
client = TusClient(address, headers={"Authorization": f"Bearer {token}"})
client.uploader(
    file, chunk_size=CHUNK, retries=1000, retry_delay=0, metadata={"sha256": digest}, store_url=True,
    url_storage=FileStorage(storage)).upload()
