import { copyFileSync, rmSync } from 'node:fs';

/** Replaces a server's database by a backup, and with `isBare` its files by none. */
export async function restore(server, backup, { isBare = false } = {}) {
    await server.halt();
    for (const suffix of ['-wal', '-shm']) rmSync(`${server.database}${suffix}`, { force: true });
    copyFileSync(backup, server.database);
    if (isBare) rmSync(`${server.database}-files`, { recursive: true });
    await server.run();
}
