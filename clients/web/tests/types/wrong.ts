// What index.d.ts must refuse.
import { open } from 'tidemark-web';
import type { Schema } from './rows';

const tidemark = await open<Schema>({ url: '' });
// @ts-expect-error
await open({ url: '', user: 7 });
// @ts-expect-error
await tidemark.signOut({ leaveUnsent: true });
// @ts-expect-error
await tidemark.rows('tusks');
// @ts-expect-error
await tidemark.rows('tasks', { where: { nome: 'a' } });
// @ts-expect-error
await tidemark.rows('tasks', { where: { status: 'OPEN' } });
// @ts-expect-error
await tidemark.rows('tasks', { order: '-nome' });
// @ts-expect-error
await tidemark.insert('tasks', { project_id: 'p' });
// @ts-expect-error
await tidemark.insert('tasks', { name: 'a' });
// @ts-expect-error
await tidemark.insert('memberships', { project_id: 'p', name: 'a' });
// @ts-expect-error
await tidemark.update('tasks', 'id', { short_id: 'T-1' });
// @ts-expect-error
tidemark.live('tasks', {}, rows => rows.map(each => each.nome));
// @ts-expect-error
await tidemark.parts.add('p', { tasks: [{ status: { above: 1 } }] });
// @ts-expect-error
await tidemark.parts.add('p', { tasks: { status: 'REVIEW' } });
