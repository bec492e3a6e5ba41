import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { change } from '../lib/admin/change.js';
import { dayText } from '../lib/admin/days.js';
import { ACTIONS, actionText, originOf, restOf, sentenceOf } from '../lib/audit/sentence.js';
import { whatDisablingDoes, whatRemovingDoes } from '../lib/people/changes.js';
import { generatedPassword } from '../lib/people/generated.js';
import { calledOf, pathOf } from '../lib/people/names.js';
import { chosenPassword } from '../lib/people/password-choice.js';
import { named, searched } from '../lib/people/search.js';
import { withCheck } from '../lib/storage/backups.js';
import { Polled } from '../lib/storage/polled.js';
import { COLUMNS, sorted } from '../lib/storage/sort.js';
import { bytesText, countText, everyText, growthText } from '../lib/storage/words.js';
import { NASTY } from './support/schema.js';

const ROOT = { user_id: 1, name: 'root', credential: 'session:s-1', address: '127.0.0.1' };
const entry = (action, details = {}, more = {}) => ({
    id: 1, at: '2026-11-25T03:00:00Z', action, actor: ROOT, user_id: null, username: null, project_id: null, details,
    ...more,
});
const bob = { user_id: 5, username: 'bob' };
const boat = { project_id: 'boat' };
const own = { user_id: 1, username: 'root' };

/** A sentence as plain text: people and projects by name, codes in backquotes. */
const said = (...args) => sentenceOf(entry(...args)).map(part => {
    if (typeof part === 'string') return part;
    if (part.user !== undefined) return part.name;
    if (part.project !== undefined) return part.name ?? part.project;
    return part.at ?? part.code ?? `“${part.name}”`;
}).join('');

test('each action is a sentence, with its details', () => {
    const told = [
        ['added bob as a superuser, without a password', 'user_added', { superuser: true, password: false }, bob],
        ['added bob', 'user_added', { superuser: false, password: true }, bob],
        ['renamed bob from “Bob” to “Robert”', 'user_renamed', { before: 'Bob', after: 'Robert' }, bob],
        ['disabled bob and ended 1 session', 'user_disabled', { sessions: 1, tokens: 0 }, bob],
        ['removed bob from 2 projects and revoked 2 sessions and 1 token', 'user_removed',
            { projects: 2, sessions: 2, tokens: 1 }, bob],
        ['changed their own password', 'password_changed', {}, own],
        ['set the password of bob and ended 3 sessions', 'password_set', { sessions: 3 }, bob],
        ['linked bob to an outside identity, “b-1” at “https://id”', 'identity_linked',
            { issuer: 'https://id', subject: 'b-1' }, bob],
        ['made the access token “laptop” for bob, which may only read', 'token_created',
            { token: 12, name: 'laptop', read_only: true }, bob],
        ['made the access token “laptop”', 'token_created', { token: 12, name: 'laptop', read_only: false }, own],
        ['revoked the access token 12 of bob', 'token_revoked', { token: 12 }, bob],
        ['ended a session of bob', 'session_revoked', { session: 's-2' }, bob],
        ['revoked 2 sessions and 1 token of bob', 'credentials_revoked', { sessions: 2, tokens: 1 }, bob],
        ['revoked all sessions and tokens of bob', 'credentials_revoked', {}, bob],
        ['forgot the device d-1 of bob', 'device_forgotten', { device: 'd-1' }, bob],
        ['added bob to boat as Admin', 'member_added', { role: 300 }, { ...bob, ...boat }],
        ['made bob Admin of boat, before Member', 'role_changed', { before: 100, after: 300 }, { ...bob, ...boat }],
        ['removed bob (Viewer) from boat', 'member_removed', { role: 1 }, { ...bob, ...boat }],
        ['left boat', 'member_removed', { role: 1 }, { ...own, ...boat }],
        ['created the project Plan', 'project_created', { name: 'Plan' }, boat],
        ['took the project Plan out of the archive', 'project_unarchived', { name: 'Plan' }, boat],
        ['made a backup: /backups/plans.db', 'backup_made', { file: '/backups/plans.db', bytes: 7 }],
        ['checked the database: it is sound', 'checked', { sound: true, rows: 5, backup: null }],
        ['checked the backup t.db: it is damaged', 'checked', { sound: false, rows: 5, backup: 't.db' }],
        ['purged 7 tombstones of 2 projects, older than 90 days', 'purged',
            { older_than_seconds: 7_776_000, tombstones: 7, projects: 2 }],
        ['imported rows into boat', 'rows_imported', { tasks: 5 }, boat],
        ['copied the database from plans.db', 'copied', { source: 'plans.db', rows: 5, moved: false }],
    ];
    for (const [sentence, ...args] of told) assert.equal(said(...args), sentence);
});

test('every action of the server has a sentence, whatever is known of it', () => {
    const source = readFileSync(new URL('../../../Sources/SyncStore/AuditAction.swift', import.meta.url), 'utf8');
    const names = [...source.matchAll(/case \w+ = "(\w+)"/g)].map(([, name]) => name);
    assert.ok(names.length > 20);
    assert.deepEqual(names.filter(name => !ACTIONS.includes(name)), []);
    for (const action of ACTIONS) {
        for (const more of [{}, bob, boat, { ...bob, ...boat }, own]) {
            const text = said(action, {}, more);
            assert.doesNotMatch(text, /undefined|null|NaN|\[object/, text);
            assert.ok(text.length > 5 && actionText(action).length > 3, text);
        }
    }
});

test('an action of a later version is shown by its name, with all that is known', () => {
    const later = entry('moon_landed', { crew: 3, name: 'Eagle' }, { ...bob, ...boat });
    assert.equal(said('moon_landed', { crew: 3 }, { ...bob, ...boat }), 'moon_landed bob in boat');
    assert.deepEqual(restOf(later), [['crew', '3'], ['name', 'Eagle']]);
    assert.deepEqual(restOf(entry('user_disabled', { sessions: 2, reason: 'left' }, bob)), [['reason', 'left']]);
});

test('names stay names, whatever they are', () => {
    for (const name of NASTY) {
        const parts = sentenceOf(entry('user_renamed', { before: name, after: name }, { user_id: 5, username: name }));
        assert.deepEqual(parts, ['renamed ', { user: 5, name }, ' from ', { name }, ' to ', { name }]);
        assert.notEqual(calledOf({ username: 'bob', display_name: name }).trim(), '');
        assert.ok(said(name, {}, bob).startsWith(name));
    }
    assert.equal(pathOf('5/../6'), '/people/5%2F..%2F6');
});

test('an entry says where it came from', () => {
    const origin = (credential, address) => originOf({ credential, address });
    assert.deepEqual([
        origin('session:s-1', '10.0.0.1'), origin('token:12', null), origin('identity:https://id|x', '::1'),
        origin('command', 'vm'), origin('later:1', null),
    ], ['a session from 10.0.0.1', 'access token 12', 'an outside identity from ::1', 'the command line on vm',
        'later:1']);
});

test('a change that needs the password is repeated once, and only once', async () => {
    const refused = Object.assign(new Error('Again.'), { code: 'reauthentication_required' });
    const context = answers => {
        const sent = [];
        return { sent, api: async (...args) => {
            sent.push(args);
            const answer = answers.shift();
            if (answer instanceof Error) throw answer;
            return answer;
        } };
    };
    const readOnly = Object.assign(new Error('Only read.'), { code: 'read_only_token' });
    const [first, second, third, fourth, fifth] =
        [[refused, { id: 5 }], [refused, refused], [refused], [{ id: 5 }], [readOnly, null]].map(context);
    let given = 0;
    const give = async () => Boolean(given += 1);
    assert.deepEqual(await change(first, 'PATCH', '/x/', { body: { a: 1 } }, give), { id: 5 });
    assert.deepEqual(first.sent, Array(2).fill(['PATCH', '/x/', { body: { a: 1 } }]));
    await assert.rejects(change(second, 'PATCH', '/x/', {}, give), { code: 'reauthentication_required' });
    await assert.rejects(change(third, 'DELETE', '/x/', {}, async () => false), { code: 'cancelled' });
    assert.deepEqual([third.sent.length, given], [1, 2]);
    assert.equal(await change(fifth, 'DELETE', '/x/', {}, give), null);
    await change(fourth, 'DELETE', '/x/', {}, () => assert.fail('nobody is asked'));
});

test('a generated password uses each letter alike, and nothing that is mistaken', () => {
    // 57 letters: 0 and 57 are the first one, 56 the last one. 228 and above would favour the first ones.
    const bytes = [255, 0, 228, 56, 57, 113, 114];
    const filled = array => array.map((_, place) => bytes[place % bytes.length]);
    assert.equal(generatedPassword(filled), 'a9a9a-a9a9a-a9a9a-a9a9a');
    const made = new Set(Array.from({ length: 200 }, () => generatedPassword()));
    assert.equal(made.size, 200);
    for (const password of made) assert.match(password, /^([a-km-zA-HJ-NP-Z2-9]{5}-){3}[a-km-zA-HJ-NP-Z2-9]{5}$/);
});

test('a typed password is judged before it is sent, by its bytes', () => {
    const typed = (password, again = password) => chosenPassword({ way: 'typed', password, again });
    assert.deepEqual(typed('12345678'), { password: '12345678', isNew: false });
    assert.equal(typed('ünïcöd').password, 'ünïcöd');
    for (const bad of ['1234567', 'a\0bcdefgh', 'x'.repeat(1025)]) {
        assert.throws(() => typed(bad), { code: 'bad_format' });
    }
    assert.throws(() => typed('12345678', '12345679'), { field: 'again' });
    assert.equal(chosenPassword({ way: 'none' }), null);
    assert.ok(chosenPassword({ way: 'generated' }).isNew);
});

test('what will happen is said with numbers', () => {
    const account = { sessions: [1], tokens: [1, 2], memberships: [1] };
    const disabling = whatDisablingDoes(account).join(' ');
    assert.match(disabling, /^1 session ends at once\. 2 access tokens are refused/);
    const removing = whatRemovingDoes(account).filter(Boolean).join(' ');
    assert.match(removing, /^1 membership ends: .* 3 sessions and tokens are revoked\./);
    assert.match(whatRemovingDoes({ sessions: [], tokens: [], memberships: [] }).filter(Boolean)[0], /^The account/);
});

test('a search goes on over pages without a result', async () => {
    const pages = new Map([[undefined, { results: [], next: '100' }], ['100', { results: [], next: '200' }],
        ['200', { results: [{ id: 250, username: 'Bobby' }], next: '300' }],
        ['300', { results: [{ id: 301, username: 'BOB' }], next: null }]]);
    const context = { api: async (_, __, { query }) => pages.get(query.after) };
    assert.deepEqual((await searched(context, 'bob', null)).results, [{ id: 250, username: 'Bobby' }]);
    assert.equal((await named(context, 'bob')).id, 301);
    assert.equal(await named(context, 'bo'), null);
});

test('what runs is read again until it is over, and not after the page was left', async () => {
    const waits = [];
    const states = ['running', 'running', 'idle'];
    const shown = [];
    const polled = new Polled({
        read: async () => ({ state: states.shift() }), show: ({ state }) => shown.push(state), fail: assert.fail,
        wait: work => waits.push(work),
    });
    await polled.look();
    await waits.shift()();
    await waits.shift()();
    assert.deepEqual([shown, waits], [['running', 'running', 'idle'], []]);
    states.push('running');
    const late = polled.look();
    polled.close();
    await late;
    assert.deepEqual([shown.length, waits], [3, []]);
});

test('an error ends the reading, and is shown in words', async () => {
    const failures = [];
    const polled = new Polled({
        read: async () => { throw Object.assign(new Error(''), { code: 'network', status: 0 }); },
        show: assert.fail, fail: error => failures.push(error.detail), wait: assert.fail,
    });
    await polled.look();
    assert.match(failures[0], /can't be reached/);
});

test('a backup has the verdict of the later check', () => {
    const backup = { file: 'a.db', verdict: 'sound', verified_at: '2026-11-25T03:00:00.000Z' };
    const check = { backup: 'a.db', verdict: 'damaged', finished_at: '2026-11-25T04:00:00.000Z' };
    assert.equal(withCheck(backup, check).verdict, 'damaged');
    assert.equal(withCheck({ ...backup, verdict: null, verified_at: null }, check).verdict, 'damaged');
    assert.equal(withCheck({ ...backup, verified_at: '2026-11-25T05:00:00.000Z' }, check).verdict, 'sound');
    for (const other of [undefined, { ...check, backup: null }, { ...check, verdict: null }]) {
        assert.equal(withCheck(backup, other), backup);
    }
});

test('projects are sorted by any column, with a fixed order among equals', () => {
    const project = (id, rows, name = id) => ({
        project_id: id, project_name: name, rows, tombstones: 0, answers: 0, rejected: 0, grown: { rows, commits: 0 },
    });
    const all = [project('b', 5), project('a', 5), project('c', 9, 'Zoo')];
    const ids = (...args) => sorted(all, ...args).map(({ project_id: id }) => id).join('');
    assert.deepEqual([ids(1, false), ids(1, true), ids(0, false), ids(0, true)], ['cab', 'abc', 'abc', 'cba']);
    for (const place of COLUMNS.keys()) assert.equal(ids(place, false).length, 3);
    assert.deepEqual(all.map(({ project_id: id }) => id), ['b', 'a', 'c'], 'the list itself stays');
});

test('numbers and spans are words', () => {
    assert.deepEqual([86_400, 172_800, 21_600, 90, 60].map(everyText),
        ['every day', 'every 2 days', 'every 6 hours', 'every 90 seconds', 'every minute']);
    assert.deepEqual([120, -4, 0, undefined].map(growthText), ['+120', '−4', '–', '–']);
    assert.deepEqual([bytesText(null), bytesText(48_123_456)], ['–', '48 MB']);
    assert.deepEqual([countText(null), countText(7, 100), countText(100, 100)], ['–', '7', '100+']);
});

test('days are those of the reader', () => {
    const now = new Date(2026, 10, 25, 0, 30).getTime();
    const at = (day, hour) => dayText(new Date(2026, 10, day, hour).toISOString(), now);
    assert.deepEqual([at(25, 0), at(24, 23), at(24, 0)], ['Today', 'Yesterday', 'Yesterday']);
    assert.match(at(23, 23), /23/);
});
