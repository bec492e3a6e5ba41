// Routes are in the hash: `#/plan/boat-house?zoom=week`.

/** The path and the query of a hash. */
export function routeOf(hash) {
    const [path, query = ''] = hash.replace(/^#/, '').split('?', 2);
    return { path: path || '/', query: Object.fromEntries(new URLSearchParams(query)) };
}

/**
 * The page of a path, with what the path says for the `:names` of its route; null if there is none.
 * Of several pages the first one counts.
 */
export function matched(pages, path) {
    for (const page of pages) {
        const parameters = parametersOf(page.route, path);
        if (parameters) return { page, parameters };
    }
    return null;
}

/** A path with values put in: `pathTo('/row/:collection/:id', { collection: 'tasks', id: 'a b' })`. */
export const pathTo = (route, parameters) =>
    route.replace(/:(\w+)/g, (_, name) => encodeURIComponent(parameters[name]));

function parametersOf(route, path) {
    const [names, parts] = [route.split('/'), path.split('/')];
    if (names.length !== parts.length) return null;
    const parameters = {};
    for (const [place, name] of names.entries()) {
        if (!name.startsWith(':')) {
            if (name !== parts[place]) return null;
        } else {
            const value = decoded(parts[place]);
            if (!value) return null;
            parameters[name.slice(1)] = value;
        }
    }
    return parameters;
}

function decoded(part) {
    try {
        return decodeURIComponent(part);
    } catch {
        return null;
    }
}
