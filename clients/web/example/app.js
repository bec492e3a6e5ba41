const server = new URLSearchParams(location.search).get('server') ?? location.origin;
const find = selector => document.querySelector(selector);
const { open } = await import(`${server}/client/index.js`).catch(error => {
    find('#status').textContent = `${server} is no Tidemark, or can't be reached. Name one: ?server=https://…`;
    throw error;
});

const tidemark = await open({ url: server });

// What the copy is doing.

tidemark.onState(state => {
    find('#sign-in').hidden = state.isSignedIn;
    find('#sign-out').hidden = find('main').hidden = state.user === null;
    find('#status').textContent = described(state);
    showTrouble(state.refused);
});

function described({ user, isSignedIn, isOnline, isSyncing, unsent, error }) {
    if (!isSignedIn) return user ? `Sign in again, ${user.username}. Unsent edits: ${unsent}.` : 'Sign in.';
    if (error && isOnline) return error.detail;
    const edits = unsent ? `, ${unsent} unsent` : '';
    return `${isOnline === false ? 'offline' : isSyncing ? 'syncing' : 'up to date'}${edits}`;
}

tidemark.onLeft(({ name, id }) => alert(`You have no access to ${name ?? id} any more.`));

// Signing in and out.

find('#sign-in').addEventListener('submit', async event => {
    event.preventDefault();
    const { username, password } = Object.fromEntries(new FormData(event.target));
    await withConsent(discard => tidemark.signIn({ username, password, discard }));
    event.target.reset();
});

find('#sign-out').addEventListener('click', () => withConsent(discard => tidemark.signOut({ discard })));

/** Only the user can decide that unsent edits may be lost. */
async function withConsent(work) {
    try {
        await work(false);
    } catch (error) {
        if (error.code !== 'unsent_edits') return alert(error.detail);
        if (confirm(`${error.detail} Discard them?`)) await work(true);
    }
}

// Rows. Titles are data: they are shown as text, never as HTML.

let stopTasks = () => {};

tidemark.live('projects', {}, projects => {
    const select = find('#project');
    const chosen = select.value;
    select.replaceChildren(...projects.map(({ id, name }) => new Option(name, id, false, id === chosen)));
    showTasks();
});
find('#project').addEventListener('change', showTasks);

function showTasks() {
    stopTasks();
    const project = find('#project').value;
    stopTasks = tidemark.live('tasks', { project }, tasks => find('#tasks').replaceChildren(...tasks.map(item)));
}

function item({ id, name, percent_complete: percent, _status }) {
    const [line, done, text, remove] = ['li', 'input', 'span', 'button'].map(tag => document.createElement(tag));
    Object.assign(done, { type: 'checkbox', checked: percent === 100, ariaLabel: `${name} is done` });
    Object.assign(text, { className: `name ${_status === 'synced' ? '' : 'unsent'}`, textContent: name });
    Object.assign(remove, { textContent: 'Delete', ariaLabel: `Delete ${name}` });
    done.addEventListener('change', () =>
        edit(tidemark.update('tasks', id, { percent_complete: done.checked ? 100 : 0 })));
    remove.addEventListener('click', () => edit(tidemark.delete('tasks', id)));
    line.append(done, text, remove);
    return line;
}

find('#add').addEventListener('submit', async event => {
    event.preventDefault();
    const { name } = Object.fromEntries(new FormData(event.target));
    await edit(tidemark.insert('tasks', { project_id: find('#project').value, name }));
    event.target.reset();
});

/** An edit is stored before it is sent, so only the app's own mistakes can fail here. */
const edit = promise => promise.catch(error => alert(error.detail ?? error));

function showTrouble(refused) {
    find('#trouble').hidden = refused.length === 0;
    find('#trouble ul').replaceChildren(...refused.map(({ collection, id, reasons }) => {
        const [line, text, giveUp] = ['li', 'span', 'button'].map(tag => document.createElement(tag));
        Object.assign(text, { className: 'name', textContent: reasons.map(({ detail }) => detail).join(' ') });
        Object.assign(giveUp, { textContent: 'Undo' });
        giveUp.addEventListener('click', () => edit(tidemark.giveUp(collection, id)));
        line.append(text, giveUp);
        return line;
    }));
}

// The page starts without a network, too.

keepFiles().catch(error => {
    find('#kept').hidden = false;
    find('#kept').textContent = `This page will not open without a network: ${error.message}`;
});

/** Rejects if the worker could not keep all files. */
async function keepFiles() {
    const worker = `worker.js?server=${encodeURIComponent(server)}`;
    const { installing } = await navigator.serviceWorker.register(worker);
    await new Promise((resolve, reject) => installing?.addEventListener('statechange', ({ target: { state } }) => {
        if (state === 'redundant') reject(new Error('a file could not be kept. Load it again.'));
        if (state === 'activated') resolve();
    }));
}
