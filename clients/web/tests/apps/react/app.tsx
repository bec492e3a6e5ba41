// A list of open tasks in React, as its author would write it by the docs.
import React, { StrictMode, useEffect, useState, useSyncExternalStore, type FormEvent } from 'react';
import { createRoot } from 'react-dom/client';
import { open, type SetAsideRow, type TidemarkError } from 'tidemark-web';
import type { Rows, Schema } from './rows';

const { url } = await (await fetch('config.json')).json();
const schema = await (await fetch('schema.json')).json();
const indexes = { tasks: [['percent_complete', 'name']] };
const tidemark = await open<Schema>({ url, schema, indexes, onConflict: 'merge' });
const openTasks = tidemark.live('tasks', {
    where: { percent_complete: 0 }, order: 'name', limit: 3, unsettled: true,
});
const onState = (callback: () => void) => tidemark.onState(callback);

function App() {
    const state = useSyncExternalStore(onState, () => tidemark.state);
    const tasks = useSyncExternalStore(openTasks.subscribe, openTasks.getSnapshot);
    const [problem, setProblem] = useState('');
    const told = (work: Promise<unknown>) =>
        work.then(() => setProblem(''), (error: TidemarkError) => setProblem(error.detail));
    return <>
        <p role="status">{state.isOnline ? 'online' : 'offline'}, {state.unsent} unsent</p>
        <p role="alert">{problem}</p>
        {state.isSignedIn || <SignIn told={told} />}
        <NewTask told={told} />
        <ul>{tasks.map(task => <Task key={task.id} task={task} told={told} />)}</ul>
        <SetAside count={state.setAside} />
    </>;
}

type Told = { told: (work: Promise<unknown>) => void };

const fields = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    return Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
};

/** What was made before the first log-in belongs to whoever says so. */
async function signIn(token: string) {
    try {
        await tidemark.signIn({ token });
    } catch (error) {
        const { code, detail } = error as TidemarkError;
        if (code !== 'unclaimed_edits' || !confirm(detail)) throw error;
        await tidemark.signIn({ token, adopt: true });
    }
}

function SignIn({ told }: Told) {
    return <form id="sign-in" onSubmit={event => told(signIn(fields(event).token))}>
        <input name="token" aria-label="Token" />
    </form>;
}

/** The first project is made with the first task. */
async function add(name: string) {
    const [project] = await tidemark.rows('projects', { limit: 1 });
    const id = project?.id ?? await tidemark.insert('projects', { name: 'Boat', start_date: '2026-01-05' });
    await tidemark.insert('tasks', { project_id: id, name });
}

function NewTask({ told }: Told) {
    return <form id="add" onSubmit={event => told(add(fields(event).name))}>
        <input name="name" aria-label="New task" />
    </form>;
}

function Task({ task, told }: Told & { task: Readonly<Rows['tasks']> }) {
    const rename = (name: string) => name === task.name || told(tidemark.update('tasks', task.id, { name }));
    return <li>
        <input key={task.name} defaultValue={task.name} onBlur={event => rename(event.target.value)} />
        <button onClick={() => told(tidemark.update('tasks', task.id, { percent_complete: 100 }))}>Done</button>
    </li>;
}

function SetAside({ count }: { count: number }) {
    const [rows, setRows] = useState<SetAsideRow[]>([]);
    useEffect(() => void tidemark.setAside().then(setRows), [count]);
    return <ul id="aside">{rows.map(({ number, reason, values }) => <li key={number}>
        {reason}: {values.name} <button onClick={() => tidemark.dismiss(number)}>Seen</button>
    </li>)}</ul>;
}

createRoot(document.querySelector('#app')!).render(<StrictMode><App /></StrictMode>);
