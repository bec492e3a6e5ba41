import { Phone } from './phone.js';
import { Server } from './server.js';

/** A server with alice, who owns the projects, and bob, who is a member of each. `settings` are TIDEMARK_ variables. */
export async function startTeam(settings) {
    const server = await Server.start(settings);
    const [alice, bob] = [await server.user('alice'), await server.user('bob')];
    const schema = await server.schema(alice);

    /** A project with these tasks. Their ids are the project's id followed by `-0`, `-1` and so on. */
    const project = async (...tasks) => {
        const id = await server.project(alice);
        await server.member(id, 'bob', 'member');
        for (const [index, name] of tasks.entries()) await server.task(alice, id, { id: `${id}-${index}`, name });
        return id;
    };
    /** Alice's phone and bob's, each with its options. */
    const phones = (id, ...options) =>
        [alice, bob].map((token, index) => new Phone(server, id, token, { schema, ...options[index] }));
    return { server, alice, bob, schema, project, phones };
}

/** The names of the tasks that a phone shows. */
export const names = phone => [...phone.database.rows('tasks').values()].map(({ name }) => name).sort();
