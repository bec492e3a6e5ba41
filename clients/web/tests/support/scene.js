import { Server } from '../../../watermelondb/tests/support/server.js';

/** A server with a project of alice's, of which bob is a member: `{ server, alice, bob, project }`, tokens and an id. */
export async function scene() {
    const server = await Server.start();
    const [alice, bob] = [await server.user('alice'), await server.user('bob')];
    return { server, alice, bob, project: await sharedProject({ server, alice }) };
}

/** Another project of alice's, of which bob is a member. */
export async function sharedProject({ server, alice }) {
    const project = await server.project(alice);
    await server.member(project, 'bob', 'member');
    return project;
}
