import { element } from '../elements.js';
import { notify } from '../notices.js';

// Lets the console start without a network: worker.js keeps the files of one build. A new build is fetched beside the
// old one. It is used from the next start on, or at once if the user says so.

/** Without a network, or without workers, nothing changes. */
export async function keepFiles() {
    const { serviceWorker } = navigator;
    const build = serviceWorker && await newestBuild();
    if (!build) return;
    const isFirst = serviceWorker.controller === null;
    const registration = await registered(serviceWorker, build);
    if (isFirst || !registration) return;
    serviceWorker.addEventListener('controllerchange', () => location.reload());
    if (registration.waiting) registration.waiting.postMessage('take over');
    registration.installing?.addEventListener('statechange', () => registration.waiting && offer(registration));
}

/** Null if the network has gone meanwhile. */
async function registered(serviceWorker, build) {
    try {
        return await serviceWorker.register(workerURL(build));
    } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        return null;
    }
}

function offer(registration) {
    const notice = notify('A newer console is ready.', 'stays');
    const start = () => registration.waiting?.postMessage('take over');
    notice.append(element('button', { text: 'Reload', onclick: start }));
}

async function newestBuild() {
    try {
        const response = await fetch('build.json', { cache: 'no-cache' });
        return response.ok ? (await response.json()).build : null;
    } catch {
        return null;
    }
}

/** The policy `tidemark` makes addresses of this worker only, so nothing else can be run by it. */
function workerURL(build) {
    const url = `worker.js?build=${encodeURIComponent(build)}`;
    const { trustedTypes } = globalThis;
    if (!trustedTypes) return url;
    return trustedTypes.createPolicy('tidemark', { createScriptURL: () => url }).createScriptURL('');
}
