// Lets the console start without a network. Each build has a worker of its own, `worker.js?build=…`, and a cache that
// is filled as a whole before the worker is used. So files of two builds never meet in a window. Only the console's
// files are kept: the API is none of this worker's business.

const PREFIX = 'tidemark-console ';
const BUILD = new URL(location.href).searchParams.get('build');
const NAME = PREFIX + BUILD;
const SCOPE = new URL('./', location.href);

addEventListener('install', event => event.waitUntil(keep()));

addEventListener('activate', event => event.waitUntil(Promise.all([dropOthers(), clients.claim()])));

addEventListener('message', event => event.data === 'take over' && event.waitUntil(skipWaiting()));

addEventListener('fetch', event => {
    const { request } = event;
    const name = nameOf(request.url);
    if (request.method === 'GET' && name !== null && name !== 'build.json') event.respondWith(kept(request, name));
});

/** The name of a file of the console; null for everything else. */
function nameOf(url) {
    const { origin, pathname } = new URL(url);
    if (origin !== SCOPE.origin || !pathname.startsWith(SCOPE.pathname)) return null;
    return pathname.slice(SCOPE.pathname.length) || 'index.html';
}

async function kept(request, name) {
    const cache = await caches.open(NAME);
    return await cache.match(name) ?? fetch(request);
}

/** Fails if the server has another build before or after: then the next visit begins again with that one. */
async function keep() {
    const files = await listed();
    const cache = await caches.open(NAME);
    await Promise.all(files.map(async file => cache.put(file, await fetched(file))));
    await listed();
}

async function listed() {
    const { build, files } = await (await fetched('build.json')).json();
    if (build !== BUILD) throw new Error(`The server has the build ${build}, not ${BUILD}.`);
    return files;
}

async function fetched(file) {
    const response = await fetch(file, { cache: 'no-cache' });
    if (!response.ok) throw new Error(`${file}: ${response.status}`);
    return response;
}

async function dropOthers() {
    const others = (await caches.keys()).filter(name => name.startsWith(PREFIX) && name !== NAME);
    await Promise.all(others.map(name => caches.delete(name)));
}
