/** A storage that keeps nothing after the process ends. Good enough to start with: see "storage" in the README. */
export function memoryStorage() {
    const values = new Map();
    return {
        get: key => values.get(key) ?? null,
        set: (key, value) => void values.set(key, value),
        remove: key => void values.delete(key),
    };
}

/** The stored JSON value; null if there is none, or if it can't be read. */
export function parsed(text) {
    try {
        return text ? JSON.parse(text) : null;
    } catch {
        return null;
    }
}
