// Keeps the page's files and the server's client, so the page opens without a network. Requests to the API are none of
// its business.
const CACHE = 'tasks-2';
const SHELL = ['./', 'style.css', 'app.js'];
const CLIENT = `${new URL(location).searchParams.get('server')}/client/`;

addEventListener('install', event => event.waitUntil(keepAll()));

addEventListener('activate', event => event.waitUntil(caches.keys().then(names =>
    Promise.all(names.filter(name => name !== CACHE).map(name => caches.delete(name))))));

addEventListener('fetch', event => {
    const { request } = event;
    const { href, origin, pathname } = new URL(request.url);
    if (request.method !== 'GET') return;
    if (href.startsWith(CLIENT)) event.respondWith(kept(request));
    else if (origin === location.origin && !pathname.startsWith('/api/')) event.respondWith(networkFirst(request));
    // A newer build of the client is kept beside this one, and used from the next start on.
    if (href === `${CLIENT}index.js`) event.waitUntil(keepClient().catch(() => {}));
});

/** Fails if one file can't be had: then there is no worker, and the page says so. */
async function keepAll() {
    const cache = await caches.open(CACHE);
    await Promise.all([cache.addAll(SHELL), keepClient()]);
}

/** Keeps the server's build of the client: all that its list names, and then the module that leads to it. */
async function keepClient() {
    const list = await fetch(`${CLIENT}build.json`);
    if (!list.ok) throw new Error(`${list.url}: ${list.status}`);
    const { build, files } = await list.json();
    const cache = await caches.open(CACHE);
    if ((await cache.match(`${CLIENT}index.js`))?.url === `${CLIENT}${build}/index.js`) return;
    await cache.addAll(files.map(file => `${CLIENT}${build}/${file}`));
    const first = await fetch(`${CLIENT}index.js`);
    if (first.url !== `${CLIENT}${build}/index.js`) throw new Error('The server has another build meanwhile.');
    await cache.put(`${CLIENT}index.js`, first);
}

/**
 * A module of the build that is kept. An address without a build leads to it, as it does on the server: a browser that
 * got the module itself would not ask again for as long as it may keep it.
 */
async function kept(request) {
    const cache = await caches.open(CACHE);
    const match = address => cache.match(address, { ignoreVary: true });
    const first = await match(`${CLIENT}index.js`);
    const place = first && new URL(request.url.slice(CLIENT.length), first.url).href;
    if (place && await match(place)) return Response.redirect(place, 307);
    return await match(request) ?? fetch(request);
}

/** The newest file where there is a network, otherwise the last one. */
async function networkFirst(request) {
    const cache = await caches.open(CACHE);
    try {
        const response = await fetch(request);
        if (response.ok) await cache.put(request, response.clone());
        return response;
    } catch (error) {
        const known = await cache.match(request, { ignoreSearch: true });
        if (known) return known;
        throw error;
    }
}
