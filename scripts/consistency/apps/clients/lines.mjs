// Commands on stdin, one JSON object a line, each answered by one line on stdout. A command `{ "do": NAME, … }` is
// handled by the function with that name; what fails is `{ "failed": { code, detail } }`.
import { createInterface } from 'node:readline';

export async function serve(handlers) {
    for await (const line of createInterface({ input: process.stdin })) {
        const { do: name, ...command } = JSON.parse(line);
        process.stdout.write(`${JSON.stringify(await answered(handlers[name], command))}\n`);
    }
    process.exit(0);
}

async function answered(handle, command) {
    try {
        return await handle(command) ?? {};
    } catch (error) {
        const { code = 'fault' } = error;
        return { failed: { code, detail: code === 'fault' ? error.stack : error.message } };
    }
}

export const never = () => new Promise(() => {});

/** What `work` gives, unless something dies meanwhile: then it is done again, after `open`. */
export async function despite(open, work) {
    for (;;) {
        const { died, value } = await open();
        const death = Symbol('death');
        const result = await Promise.race([died.then(() => death), work(value)]);
        if (result !== death) return result;
    }
}
