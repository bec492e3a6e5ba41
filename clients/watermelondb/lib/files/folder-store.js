/**
 * A file store in a folder, for Node: `fs` is what `import fs from 'node:fs/promises'` gives. The folder is made with
 * the first file.
 */
export function folderStore({ fs, folder }) {
    const pathOf = name => `${folder}/${name}`;
    const unlessMissing = (value, missing) => value.catch(error => {
        if (error.code === 'ENOENT') return missing;
        throw error;
    });
    const made = () => fs.mkdir(folder, { recursive: true });
    return {
        copyIn: async (uri, name) => {
            await made();
            await fs.copyFile(new URL(uri), pathOf(name));
        },
        append: async (name, bytes) => {
            await made();
            await fs.appendFile(pathOf(name), bytes);
        },
        size: name => unlessMissing(fs.stat(pathOf(name)).then(({ size }) => size), null),
        read: async (name, offset, length) => {
            const file = await fs.open(pathOf(name));
            try {
                const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, offset);
                return buffer.subarray(0, bytesRead);
            } finally {
                await file.close();
            }
        },
        remove: name => fs.rm(pathOf(name), { force: true }),
        list: () => unlessMissing(fs.readdir(folder), []),
        uri: name => new URL(`file://${encodeURI(pathOf(name)).replace(/[?#]/g, encodeURIComponent)}`).href,
    };
}
