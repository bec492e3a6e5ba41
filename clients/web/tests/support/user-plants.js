// Mistakes with the copies of several users that the random runs must catch.
import { Database } from '../../lib/store/database.js';
import { Replica } from '../../lib/store/replica.js';
import { Client } from '../../lib/window/client.js';
import { replacing } from './plants.js';

const { close } = Client.prototype;
const { _state } = Replica.prototype;

export const PLANTS = {
    'a switch clears what is unsent': {
        mix: { steps: 'eeesw', kill: 40 },
        plant: replacing(Client, 'close', async function wiping() {
            if (this._replica) await this._replica.wipe({ discard: true }).catch(() => {});
            return close.call(this);
        }),
    },

    'the session of another user is used': {
        mix: { steps: 'eeesx', kill: 40 },
        plant: replacing(Replica, 'begin', function begin(session) {
            return this._write(async unit => {
                unit.state = { ...unit.state, owner: unit.state.owner ?? session.user };
                await unit.transaction.put('meta', { ...session, life: unit.state.life }, 'session');
                return null;
            });
        }),
    },

    'a log-out that leaves unsent edits wipes them': {
        mix: { steps: 'eeeso', kill: 40 },
        plant: replacing(Replica, 'leave', function wiping() {
            return this.wipe({ discard: true });
        }),
    },

    'the copy of an earlier version is not looked for': {
        mix: {},
        plant: () => {
            const { find } = Database;
            Database.find = async () => null;
            return () => {
                Database.find = find;
            };
        },
    },

    'nobody looks whose copy it is by now': {
        mix: { steps: 'eeesssx', kill: 40 },
        plant: replacing(Replica, '_state', function unchecked(transaction) {
            return _state.call(Object.create(this, { user: { value: null } }), transaction);
        }),
    },
};
