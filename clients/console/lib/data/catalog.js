import { Catalog } from '../fields/catalog.js';

let known = null;

/** The catalog of the copy's schema; null before the first sync. */
export async function catalogOf(tidemark) {
    const document = await tidemark.schema();
    if (document === null) return null;
    if (known?.version !== document.schema_version) known = new Catalog(document);
    return known;
}

/**
 * Calls `begin` with the catalog, once, as soon as there is one, and `fail` with an error. Returns a function that ends
 * the wait.
 */
export function whenCatalog(context, begin, fail) {
    let isOver = false;
    let stop = () => {};
    const look = async () => {
        const catalog = isOver ? null : await catalogOf(context.tidemark);
        if (isOver || !catalog) return;
        isOver = true;
        stop();
        begin(catalog);
    };
    stop = context.onState(() => look().catch(fail));
    if (isOver) stop();
    return () => {
        isOver = true;
        stop();
    };
}
