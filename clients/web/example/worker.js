// Keeps the page's files, so it opens without a network. Requests to the API are none of its business.
const CACHE = 'tasks-1';
const SHELL = ['./', 'style.css', 'app.js'];

addEventListener('install', event => event.waitUntil(caches.open(CACHE).then(cache => cache.addAll(SHELL))));

addEventListener('activate', event => event.waitUntil(caches.keys().then(names =>
    Promise.all(names.filter(name => name !== CACHE).map(name => caches.delete(name))))));

addEventListener('fetch', event => {
    const { request } = event;
    const { origin, pathname } = new URL(request.url);
    if (request.method === 'GET' && origin === location.origin && !pathname.startsWith('/api/')) {
        event.respondWith(networkFirst(request));
    }
});

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
