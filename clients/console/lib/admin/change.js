import { passwordGiven } from './password-dialog.js';
import { trouble } from './trouble.js';

/** What a session whose password was given just now may do, and the present credential may not. */
const NEEDS_PASSWORD = ['reauthentication_required', 'read_only_token'];

/**
 * One request that changes something of the installation. If the server wants the password, asks for it in place, and
 * sends the request once more. Throws `cancelled` if whoever sits there does not give it.
 */
export async function change(context, method, path, options, given = passwordGiven) {
    try {
        return await context.api(method, path, options);
    } catch (error) {
        if (!NEEDS_PASSWORD.includes(error.code)) throw error;
        if (!await given(context)) {
            throw trouble('cancelled', 'Nothing was changed, because the password was not given.');
        }
        return context.api(method, path, options);
    }
}
