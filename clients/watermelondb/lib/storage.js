/** Keeps nothing beyond the life of the process. Good enough to start with: see "storage" in the README. */
export function memoryStorage() {
    const values = new Map();
    return {
        get: key => values.get(key) ?? null,
        set: (key, value) => void values.set(key, value),
        remove: key => void values.delete(key),
    };
}

/** What was stored as JSON; null where there is nothing, or nothing that can be read. */
export function parsed(text) {
    try {
        return text ? JSON.parse(text) : null;
    } catch {
        return null;
    }
}
