import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalog } from '../lib/fields/catalog.js';
import { whyNot, whyNotEdit } from '../lib/fields/access.js';
import { problemOf } from '../lib/fields/check.js';
import { textOf, visible } from '../lib/fields/format.js';
import { choiceWords, counted, singular, words } from '../lib/fields/names.js';
import { inputText, localText, typed } from '../lib/fields/parse.js';
import { dayOptions, daysOf, maskOf } from '../lib/fields/weekdays.js';
import { NASTY, catalog, field, names, schema } from './support/schema.js';

test('each field of the built-in schema has the editor that fits its type', () => {
    const kinds = { name: 'text', status: 'choice', duration: 'integer', percent_complete: 'number', notes: 'long text',
        planned_start: 'date', is_milestone: 'boolean', sprint: 'reference', assignee: 'user', modified_at: 'instant' };
    for (const [name, kind] of Object.entries(kinds)) assert.equal(field('tasks', name).kind, kind, name);
    const others = [['risks', 'task_ids', 'references'], ['task_links', 'labels', 'texts'],
        ['calendars', 'exceptions', 'data'],
        ['calendars', 'timezone', 'zone'], ['task_recurrence_rules', 'time_of_day', 'time'],
        ['task_links', 'url', 'text'],
        ['time_entries', 'user', 'user'], ['task_links', 'description', 'long text']];
    for (const [collection, name, kind] of others) assert.equal(field(collection, name).kind, kind, name);
});

test('what the server has removed is not shown, and names of objects are no names of collections', () => {
    const removed = structuredClone(schema);
    removed.collections[0]['x-removed'] = true;
    removed.collections.find(({ title }) => title === 'tasks').properties.notes['x-removed'] = true;
    const without = new Catalog(removed);
    assert.equal(without.collection(removed.collections[0].title), undefined);
    assert.equal(without.collection('tasks').field('notes'), undefined);
    for (const name of ['constructor', '__proto__', 'toString']) {
        assert.equal(catalog.collection(name), undefined);
        assert.equal(field('tasks', name), undefined);
    }
});

test('names become words', () => {
    assert.deepEqual(['planned_start', 'is_milestone', 'task_ids', 'promoted_task_id', 'short_id',
        'wbs_path'].map(words),
        ['Planned start', 'Milestone', 'Tasks', 'Promoted task', 'Short ID', 'WBS path']);
    assert.deepEqual(['NOT_STARTED', 'FS', '', 'two words', 7].map(choiceWords),
        ['Not started', 'FS', '', 'two words', '7']);
    assert.deepEqual(['tasks', 'time_entries', 'dependencies', 'chess'].map(singular),
        ['task', 'time entry', 'dependency', 'chess']);
    assert.deepEqual([counted(1, 'time_entries'), counted(2, 'tasks')], ['1 time entry', '2 tasks']);
});

test('a row is called by its name, by what it links, or by its id, but never by nothing', () => {
    const lists = {
        tasks: [{ id: 'a', name: 'Sand' }, { id: 'b', name: 'Paint' }, { id: 'c', name: ' \u200b ' }],
        dependencies: [{ id: 'd', predecessor: 'a', successor: 'b' }, { id: 'e', predecessor: 'a', successor: 'gone' }],
        sprints: [{ id: 's', name: 'First' }], sprint_retros: [{ id: 'r', sprint: 's' }],
        memberships: [{ id: 'm', user: 7, display_name: 'Alice' }, { id: 'n', user: 8, display_name: '' }],
    };
    const known = names(lists);
    assert.equal(known.row('tasks', 'a'), 'Sand');
    assert.equal(known.row('tasks', 'c'), 'Untitled (c)');
    assert.equal(known.row('dependencies', 'd'), 'Sand → Paint');
    assert.equal(known.row('dependencies', 'e'), 'Sand → gone');
    assert.equal(known.row('sprint_retros', 'r'), 'First');
    assert.equal(known.row('tasks', 'constructor'), 'constructor');
    assert.deepEqual([known.user(7), known.user(8), known.user(9)], ['Alice', 'User 8', 'User 9']);
    assert.equal(names({}).user(7), 'User 7');
});

test('a name can\'t turn the text after it, and blanks alone are no name', () => {
    assert.equal(textOf(field('tasks', 'name'), '\u202egnp.exe\u202c', names({})), 'gnp.exe');
    for (const text of ['', ' \t\n', '\u200b\u200f', '\u202e', '\u0001']) assert.equal(visible(text), '',
        JSON.stringify(text));
    assert.equal(visible(' a\nb '), 'a b');
});

test('what is typed comes back as the value that it was made of', () => {
    const values = {
        tasks: { name: NASTY, duration: [0, 36525], percent_complete: [0, 12.5, 100], planned_start: ['2026-03-29'],
            notes: NASTY },
        task_links: { labels: [[], ['a', 'b c']] }, calendars: { timezone: ['Europe/Paris'] },
        task_recurrence_rules: { time_of_day: ['09:00:00', '23:59:59'] },
    };
    for (const [collection, fields] of Object.entries(values)) for (const [name, list] of Object.entries(fields)) {
        for (const value of list) {
            const known = field(collection, name);
            assert.deepEqual(typed(known, inputText(known, value)), { value }, `${name} ${JSON.stringify(value)}`);
        }
    }
    const instant = '2026-03-29T11:22:33.000Z';
    const modified = field('tasks', 'modified_at');
    assert.deepEqual(typed(modified, localText(instant)), { value: instant });
    assert.deepEqual(typed(modified, ''), { value: null });
});

test('what can\'t be a value is refused with a sentence', () => {
    const wrong = [
        ['tasks', 'duration', '1.5'], ['tasks', 'duration', 'two'], ['tasks', 'duration', '-1'],
        ['tasks', 'duration', '36526'],
        ['tasks', 'duration', ''], ['tasks', 'duration', '1,5'], ['tasks', 'name', ''],
        ['tasks', 'name', 'x'.repeat(513)],
        ['tasks', 'name', 'a\0b'], ['tasks', 'planned_start', '2026-02-30'], ['task_links', 'url', 'ftp://x'],
        ['task_links', 'labels', Array.from({ length: 13 }, (_, each) => `l${each}`).join('\n')],
        ['task_links', 'labels', 'x'.repeat(41)], ['calendars', 'exceptions', '[{'],
        ['calendars', 'exceptions', '[{"exc_start": "2026-01-01"}]'],
        ['calendars', 'hours_per_day', '0'], ['tasks', 'modified_at', 'soon'],
    ];
    for (const [collection, name, text] of wrong) {
        const { problem } = typed(field(collection, name), text);
        assert.match(problem ?? '', /^[^{}]+[.:].*$/s, `${name} ${text}`);
    }
    assert.equal(typed(field('tasks', 'name'), '👩‍👩‍👧‍👦'.repeat(73)).problem, undefined,
        'code points count, not units');
    assert.equal(problemOf(field('risks', 'task_ids'), ['a', 'a']), 'An entry is there twice.');
    assert.equal(typed(field('tasks', 'percent_complete'), ' −12 ').problem, 'The least is 0.');
});

test('days of the week are shown by name, and kept as a number', () => {
    const days = field('calendars', 'working_days');
    assert.equal(days.kind, 'weekdays');
    const text = mask => textOf(days, mask, names({}));
    assert.deepEqual([31, 5, 127, 96, 0, 71].map(text),
        ['Mon–Fri', 'Mon, Wed', 'Mon–Sun', 'Sat, Sun', 'None', 'Mon–Wed, Sun']);
    for (let mask = 0; mask < 128; mask++) assert.equal(maskOf(daysOf(mask)), mask);
    assert.deepEqual(dayOptions().map(({ label }) => label)[6], 'Sunday');
});

test('only what the role can\'t do for certain is closed', () => {
    const tasks = catalog.collection('tasks');
    const who = (role, rest = {}) => ({ role, user: 7, isArchived: false, ...rest });
    const row = { id: 't' };
    const open = (name, someone) => whyNotEdit(tasks, tasks.field(name), row, someone) === null;
    assert.deepEqual([open('name', who(100)), open('name', who(1)), open('name', who(null))], [true, false, false]);
    assert.deepEqual([open('early_start', who(100)), open('early_start', who(200))], [false, true]);
    assert.deepEqual([open('short_id', who(400)), open('name', who(400, { isArchived: true }))], [false, false]);
    const retros = catalog.collection('sprint_retros');
    const sight = retros.field('team_visibility');
    assert.equal(whyNotEdit(retros, sight, { created_by: 7 }, who(100)), null, 'its author may');
    assert.match(whyNotEdit(retros, sight, { created_by: 8 }, who(100)), /Admin/);
    const suggestions = catalog.collection('task_suggested_assignees');
    assert.equal(whyNot(suggestions, 'update', who(1)), null, 'whoever is named may answer');
    assert.match(whyNot(catalog.collection('memberships'), 'update', who(400)), /members/);
    assert.match(whyNot(catalog.collection('risks'), 'delete', who(100)), /Owner/);
    assert.match(whyNot(catalog.collection('projects'), 'create', who(400)), /one project/);
    const text = { type: 'string', default: '' };
    const caller = { type: 'integer', readOnly: true, 'x-value': 'caller' };
    const [notes] = new Catalog({ schema_version: 'v', collections: [{
        title: 'notes', properties: { text, author: caller },
        'x-roles': { create: 'VIEWER', update: 'ADMIN', delete: 'ADMIN', author: ['update'] },
    }] }).collections;
    const mayEdit = (author, role) => whyNotEdit(notes, notes.field('text'), { author }, who(role)) === null;
    assert.deepEqual([mayEdit(7, 1), mayEdit(8, 1), mayEdit(8, 300), mayEdit(7, null)], [true, false, true, false]);
    assert.match(whyNot(notes, 'delete', who(1), { author: 7 }), /Admin/);
});
