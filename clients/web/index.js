// A web app's offline copy of a user's projects on a Tidemark server. README.md says how to use it.
import { Client } from './lib/window/client.js';

export { TidemarkError } from './lib/common/error.js';

/** Opens the copy that this browser has of a user's projects, or makes it. See README.md for the options. */
export function open(options) {
    return new Client(options).open();
}
