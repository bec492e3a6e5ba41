// A device with the web client, in a browser that is made up: its tabs share a disk, and can die at any step. The disk
// is stored with every commit, so the process can be killed at any moment. Called by `node.py`; see `lines.mjs`.
//
// | command | answer |
// |---|---|
// | `sync` | `{}` |
// | `other` | `{}`. Another tab opens, both sync, and the first one closes |
// | `edit`: `edits`, as for the client's `edit()` | `{ done }`: whether each was made |
// | `look`: `collections` | `{ settled, unsent, aside: [id], rows: [row] }` |
// | `die`: `within`, a number of steps | `{}`. Before the step with that number the tab dies, and another one opens |
import { Browser } from '../../../../clients/web/tests/support/browser.js';
import { openIn } from '../../../../clients/web/tests/support/open.js';
import { edited, look } from './copy.mjs';
import { loaded, save } from './disk.mjs';
import { despite, serve } from './lines.mjs';

const [url, token, project, pageSize, file] = process.argv.slice(2);
const browser = new Browser();
const former = loaded(file);
if (former) browser.disk.restore(former);
let current = null;

async function openTab() {
    const tab = browser.tab();
    tab.committed = mode => { if (mode === 'readwrite') save(file, browser.disk.image()); };
    const options = { project: project || null, pageSize: Number(pageSize), retry: { attempts: 1 }, timeout: 10_000 };
    const copy = await openIn(tab, { url }, options);
    return { tab, copy };
}

/** A tab that lives and is signed in. */
async function opened() {
    if (current === null || current.tab.isDead) current = await openTab();
    const { tab, copy } = current;
    if (!copy.state.isSignedIn) await Promise.race([copy.signIn({ token }), tab.died]);
    return { died: tab.died, value: copy };
}

const inTab = work => despite(opened, work);

async function besides() {
    const second = await openTab();
    const syncs = [inTab(copy => copy.sync()), second.copy.sync()];
    const results = await Promise.allSettled(syncs);
    await Promise.race([current.copy.close(), current.tab.died]);
    current = second;
    const failure = results.find(({ status }) => status === 'rejected');
    if (failure) throw failure.reason;
}

function edit({ edits }) {
    let isAgain = false;
    return inTab(copy => {
        const wasAgain = isAgain;
        isAgain = true;
        return edited(copy, edits, wasAgain);
    });
}

await serve({
    sync: () => inTab(async copy => { await copy.sync(); }),
    other: besides,
    edit,
    look: ({ collections }) => inTab(copy => look(copy, collections)),
    die: async ({ within }) => {
        await opened();
        current.tab.killAt(within);
    },
});
