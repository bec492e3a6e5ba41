import { beginningWith, keyRange } from './transaction.js';

// What ends for a copy's files with a session or a project. All else about them is in lib/files, which only a copy with
// files loads. Each function is part of a transaction.

/** How many files of this copy the server does not have. */
export const unsentFiles = async ({ transaction, hasFiles }) =>
    (hasFiles ? transaction.count('files', undefined, 'unsent') : 0);

export async function clearFiles({ transaction, hasFiles }) {
    if (hasFiles) await Promise.all(['files', 'bytes'].map(store => transaction.clear(store)));
}

/** Forgets the files of a project, with their bytes. */
export async function dropFilesOf({ transaction, hasFiles }, project) {
    if (!hasFiles) return;
    const keys = (await transaction.keys('files')).filter(([, each]) => each === project);
    await Promise.all(keys.flatMap(key => ['files', 'bytes'].map(store => transaction.delete(store, key))));
}

/** The entries of a digest, by project. */
export const filesOf = (transaction, digest) => transaction.all('files', keyRange(beginningWith(digest)));
