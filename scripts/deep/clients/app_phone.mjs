// A phone with the adapter for WatermelonDB and its own retries. It writes a task and syncs, again and again, until a
// line comes on stdin. Then it syncs once more, and prints what it saw as JSON. Called by `devices.py`.
import { Phone } from '../../../clients/watermelondb/tests/support/phone.js';
import { NEW } from '../../../clients/watermelondb/tests/support/rows.js';

const [url, project, token, name] = process.argv.slice(2);
const phone = new Phone({ url }, project, token, { retry: {}, wait: undefined });
const seen = { syncs: 0, made: [], temporary: {}, faults: [] };
let isEnding = false;
process.stdin.once('data', () => { isEnding = true; });

async function sync() {
    try {
        await phone.sync();
        seen.syncs++;
    } catch (error) {
        if (error.isTemporary) seen.temporary[error.code] = (seen.temporary[error.code] ?? 0) + 1;
        else seen.faults.push(`${error.stack}`);
    }
}

while (!isEnding) {
    const id = `${name}-${seen.made.length}`;
    phone.database.create('tasks', { ...NEW.tasks, id, name: id });
    seen.made.push(id);
    await sync();
    await new Promise(resolve => setTimeout(resolve, 100));
}
await sync();
seen.faults.push(...phone.database.errors);
if (phone.database.hasChanges()) seen.faults.push('rows are still unsent');
seen.tasks = [...phone.database.rows('tasks').keys()];
console.log(JSON.stringify(seen));
process.stdin.destroy();
