import { open } from '../../index.js';

/** Opens the copy of a tab's browser. It syncs only when it is told to, without waits, unless `listen` is set. */
export const openIn = (tab, server, { listen = false, ...options } = {}) => open({
    url: server.url, indexedDB: tab.indexedDB, locks: tab.locks, channel: tab.channel, network: {},
    fetch: tab.fetch(fetch), wait: listen ? undefined : tab.wait, timeout: null, listen, ...options,
});

/** The same, signed in and synced. */
export async function syncedIn(tab, server, { token, ...options }) {
    const client = await openIn(tab, server, options);
    if (!client.state.isSignedIn) await client.signIn({ token });
    await client.sync();
    return client;
}

/** Resolves when a condition holds. Events are on their way until then; a client may wait ten seconds between two tries. */
export async function until(condition, what = condition) {
    for (let attempt = 0; attempt < 6000; attempt++) {
        const value = await condition();
        if (value) return value;
        await new Promise(resolve => setTimeout(resolve, 5));
    }
    throw new Error(`It never came to be: ${what}`);
}
