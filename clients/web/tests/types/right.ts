// What index.d.ts must allow: with the types of a schema, and without.
import { TidemarkError, open } from 'tidemark-web';
import type { Schema } from './rows';

export async function untyped() {
    const tidemark = await open({ url: '', indexes: { x: ['y', ['a', '-b']] } });
    const where = { y: 1, z: { prefix: 'a' } };
    const [row] = await tidemark.rows('x', { project: 'p', where, order: ['-y', 'z'], limit: 3 });
    const [id, whatever]: [string, number] = [row.id, row.whatever];
    await tidemark.insert('x', { name: id, whatever });
    await tidemark.update('x', id, { name: 1 });
    tidemark.live('x', {}, rows => rows.map(each => each.name));
}

export async function parts(sprints: string[]) {
    const { parts } = await open({ url: '' });
    const month = () => ({ tasks: [{ planned_start: { from: '2026-11-01', until: '2026-11-30' } }], projects: ['p'] });
    const { ready } = await parts.add('month', month, { keepHours: 2 });
    await parts.update('month', { tasks: [{ assignee: '@me', status: { not: ['A', null] } }, { sprint: sprints }] });
    await parts.add('risks', { risks: [{ task_ids: { has: 't' } }], projects: [{ is_archived: false }] });
    await ready;
    const kept: (number | null)[] = (await parts.list()).map(({ keepUntil }) => keepUntil);
    return kept;
}

export async function files(photo: File) {
    const tidemark = await open({
        url: '', project: 'p', fileCacheBytes: 1e6, keep: ({ task }, name) => name !== 'plans' && task !== null,
    });
    const { files } = tidemark;
    const { digest, size } = await files.add(photo, { name: photo.name, preview: null });
    await files.add(new Uint8Array(size), { project: 'p' });
    await tidemark.insert('attachments', { name: photo.name, file: digest });
    const stop: () => void = files.onChange((changed: string | null) => changed);
    const failed = (await files.list()).filter(({ state }) => state === 'failed');
    for (const each of failed) await (each.reason === 'quota_exceeded' ? files.retry : files.remove)(each.digest);
    stop();
    const { sent = 0 } = await files.state(digest) ?? {};
    return [URL.createObjectURL(await files.open(digest, { project: 'p' })), sent];
}

export async function users(user: string | null) {
    const tidemark = await open({ url: '', user });
    try {
        await tidemark.signOut();
    } catch (error) {
        if (!(error instanceof TidemarkError) || error.code !== 'unsent_edits') throw error;
        const asked: (number | undefined)[] = [error.unsent, error.setAside];
        const { unsent, setAside } = await tidemark.signOut({ leavingUnsent: true });
        return unsent + setAside + asked.length;
    }
    return 0;
}

export async function typed() {
    const tidemark = await open<Schema>({ url: '' });
    const tasks = await tidemark.rows('tasks', {
        where: { status: 'REVIEW', planned_start: { from: '2026-01-01' } }, order: '-name',
    });
    const names: string[] = tasks.map(task => task.name + task._status);
    const task = await tidemark.row('tasks', 'id');
    const start: string | null | undefined = task?.planned_start;
    await tidemark.insert('tasks', { project_id: 'p', name: 'a' });
    await tidemark.update('tasks', 'id', { notes: names[0], planned_start: start ?? null });
    await tidemark.delete('tasks', 'id');
    const store = tidemark.live('tasks', { order: 'name' });
    const stop: () => void = store.subscribe(rows => rows.map(({ name }) => name));
    stop();
    for await (const rows of store) if (rows.length > 0) return rows[0].name;
    return store.getSnapshot()[0].name;
}
