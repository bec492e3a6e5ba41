import { Phone } from './phone.js';
import { Server } from './server.js';

/** A server with alice and bob, and phones that hold all projects of their user. `settings` are TIDEMARK_ variables. */
export async function startHousehold(settings) {
    const server = await Server.start(settings);
    const [alice, bob] = [await server.user('alice'), await server.user('bob')];
    const schema = withProjects(await server.schema(alice));

    /** Projects of alice's, each with these tasks, whose ids are the project's followed by `-0`, `-1` and so on. */
    const projects = async (count, ...tasks) => {
        const ids = [];
        for (let number = 0; number < count; number++) {
            const id = await server.project(alice, `Project ${number}`);
            for (const [index, name] of tasks.entries()) {
                await server.task(alice, id, { id: `${id}-${index}`, name });
            }
            ids.push(id);
        }
        return ids;
    };
    /** A phone with the database and the storage of `former`, if there is one. */
    const phone = (token, { former, ...options } = {}) => {
        const storage = options.storage ?? former?.storage ?? listedStorage();
        const made = new Phone(server, undefined, token, { schema, ...options, storage });
        Object.assign(made, { storage, token });
        if (former) made.database = former.database;
        return made;
    };
    return { server, alice, bob, schema, projects, phone };
}

/** Every table of a database with several projects says which project a row belongs to. */
export const withProjects = schema => Object.fromEntries(Object.entries(schema).map(([name, columns]) =>
    [name, { ...columns, project_id: { type: 'string', isOptional: false } }]));

/** A storage that says which keys it has. */
function listedStorage() {
    const values = new Map();
    return {
        get: key => values.get(key) ?? null, set: (key, value) => void values.set(key, value),
        remove: key => void values.delete(key), keys: () => [...values.keys()],
    };
}
