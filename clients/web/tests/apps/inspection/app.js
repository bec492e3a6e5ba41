// Field inspection: visits to a building, and what was found there. Made by the docs: nothing is copied or built.
const { server, project, version } = await (await fetch('config.json')).json();
const { open } = await import(`${server}/client/index.js`);
const find = selector => document.querySelector(selector);

const schema = await (await fetch(`schema-${version}.json`)).json();
const indexes = { inspections: [['project_id', '-day']], findings: ['inspection'] };
const options = { schema, indexes, onConflict: 'merge', appVersion: version };
const tidemark = window.tidemark = await open({ url: server, ...options });

tidemark.onState(async ({ isSignedIn, isOnline, unsent, refused, setAside, error }) => {
    find('#sign-in').hidden = isSignedIn;
    find('main').hidden = !isSignedIn;
    const line = isOnline === false ? 'offline' : error ? error.detail : 'online';
    find('#status').textContent = isSignedIn ? `${line}, ${unsent} unsent` : 'Sign in.';
    const lost = setAside > 0 ? await tidemark.setAside() : [];
    find('#lost').replaceChildren(...lost.map(aside), ...refused.map(refusal));
});

const told = work => work.catch(error => { find('#status').textContent = error.detail ?? `${error}`; });
const onSubmit = (selector, work) => find(selector).addEventListener('submit', event => {
    event.preventDefault();
    told(work(Object.fromEntries(new FormData(event.target))));
});

onSubmit('#sign-in', credentials => tidemark.signIn(credentials));
onSubmit('#inspect', visit => tidemark.insert('inspections', { project_id: project, ...visit }));
onSubmit('#find', finding =>
    tidemark.insert('findings', { project_id: project, inspection: find('#inspection').value, ...finding }));

// Each form knows what a field may be from the schema.
const { enum: severities } = schema.find(({ title }) => title === 'findings').properties.severity;
find('#find').severity.replaceChildren(...severities.map(each => new Option(each)));

let stop = () => {};
tidemark.live('inspections', { project, order: '-day', limit: 50 }, inspections => {
    const select = find('#inspection');
    const chosen = select.value;
    select.replaceChildren(...inspections.map(({ id, day, place }) => new Option(`${day} ${place}`, id)));
    if (inspections.some(({ id }) => id === chosen)) select.value = chosen;
    showFindings();
});
find('#inspection').addEventListener('change', showFindings);

function showFindings() {
    stop();
    const where = { inspection: find('#inspection').value };
    stop = tidemark.live('findings', { where }, findings => find('#findings').replaceChildren(...findings.map(item)));
}

function item({ id, text, severity, photo_count: photos }) {
    const input = Object.assign(document.createElement('input'), { value: text, ariaLabel: 'Finding' });
    input.addEventListener('change', () => told(tidemark.update('findings', id, { text: input.value })));
    return line(input, ` ${severity}${photos ? `, ${photos} photos` : ''}`);
}

function aside({ number, reason, values }) {
    const done = Object.assign(document.createElement('button'), { textContent: 'Seen' });
    done.addEventListener('click', () => told(tidemark.dismiss(number)));
    return line(`${reason}: ${values.text ?? values.place} `, done);
}

function refusal({ reasons }) {
    return line(reasons.map(({ detail }) => detail).join(' '));
}

function line(...parts) {
    const element = document.createElement('li');
    element.append(...parts);
    return element;
}
