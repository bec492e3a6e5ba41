/**
 * The copy as this window shows it: without rows whose deletion waits, and without references that their deletion is
 * going to clear. Everything else of it is the copy's own.
 */
export function shownCopy(tidemark, waiting) {
    const own = {
        async row(collection, id) {
            const row = await tidemark.row(collection, id);
            return row && waiting.shown(collection, [row])[0] || null;
        },
        rows: async (collection, options) => waiting.shown(collection, await tidemark.rows(collection, options)),
        live: (collection, options, callback) => live(tidemark, waiting, collection, options, callback),
    };
    const get = (copy, name) => {
        if (Object.hasOwn(own, name)) return own[name];
        return typeof copy[name] === 'function' ? copy[name].bind(copy) : copy[name];
    };
    return new Proxy(tidemark, { get });
}

function live(tidemark, waiting, collection, options, callback) {
    let [rows, told] = [null, null];
    const tell = () => {
        const before = told;
        told = waiting.shown(collection, rows);
        return told === rows && before === rows ? undefined : callback(told);
    };
    const stops = [
        tidemark.live(collection, options, found => {
            [rows, told] = [found, null];
            tell();
        }),
        waiting.onChange(() => rows && tell()),
    ];
    return () => stops.forEach(stop => stop());
}
