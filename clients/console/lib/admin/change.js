import { passwordGiven } from './password-dialog.js';
import { trouble } from './trouble.js';

/**
 * One request that changes something of the installation. If the server wants the password, asks for it in place, and
 * sends the request once more. Throws `cancelled` if whoever sits there does not give it.
 */
export async function change(context, method, path, options, given = passwordGiven) {
    try {
        return await context.api(method, path, options);
    } catch (error) {
        if (error.code !== 'reauthentication_required') throw error;
        if (!await given(context)) {
            throw trouble('cancelled', 'Nothing was changed, because the password was not given.');
        }
        return context.api(method, path, options);
    }
}
