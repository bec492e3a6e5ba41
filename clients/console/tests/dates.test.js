import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DateText, timeOfDay } from '../lib/fields/dates.js';
import { typed } from '../lib/fields/parse.js';
import { dateOf, dayOf } from '../lib/plan/model/days.js';
import { whyBlock } from '../lib/edit/pasted.js';
import { field } from './support/schema.js';

const TODAY = dayOf('2026-11-25');
const LANGUAGES = ['en-US', 'en-GB', 'de-DE', 'fr-FR', 'es', 'sv-SE', 'ja-JP', 'ko-KR', 'zh-CN', 'ru-RU', 'ar-EG',
    'fa-IR', 'th-TH'];

const read = (language, text, from = null) => {
    const { value, problem } = new DateText(language).read(text, { today: TODAY, from: from && dayOf(from) });
    return value ?? problem;
};

test('a date is read in the order and with the words of the language, and as ISO writes it', () => {
    const cases = {
        'en-US': ['12/24/2026', '12-24-2026', 'Dec 24, 2026', '24 december 2026', 'Thu, Dec 24, 2026', '12/24'],
        'en-GB': ['24/12/2026', '24 Dec 2026', '24th of December 2026', '24/12'],
        'de-DE': ['24.12.2026', '24. Dez. 2026', '24. Dezember 2026', '24.12.', 'Do., 24. Dezember 2026'],
        'fr-FR': ['24/12/2026', '24 déc. 2026'], es: ['24 de diciembre de 2026', '24 dic 2026'],
        'ja-JP': ['2026/12/24', '2026年12月24日', '12/24', '24.12.2026'], 'sv-SE': ['2026-12-24', '24/12/2026'],
        'ru-RU': ['24.12.2026', '24 дек. 2026 г.'], 'ar-EG': ['٢٤/١٢/٢٠٢٦', '24/12/2026'], 'ko-KR': ['2026. 12. 24.'],
    };
    for (const [language, texts] of Object.entries(cases)) for (const text of [...texts, '2026-12-24', '20261224']) {
        assert.equal(read(language, text), '2026-12-24', `${language}: ${text}`);
    }
});

test('what a cell shows and what an editor begins with are the same date again, in every language', () => {
    for (const language of LANGUAGES) {
        const shown = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC', calendar: 'gregory' });
        const words = new DateText(language);
        for (let day = TODAY - 400; day < TODAY + 400; day += 7) {
            for (const text of [words.shown(dateOf(day)), shown.format(day * 86_400_000)]) {
                assert.equal(read(language, text), dateOf(day), `${language}: ${text}`);
            }
        }
    }
});

test('a date is named by what it is near to', () => {
    const cases = [['today', '2026-11-25'], ['tomorrow', '2026-11-26'], ['mon', '2026-11-30'], ['Wed', '2026-12-02'],
        ['thursday', '2026-11-26'], ['+3', '2026-11-28'], ['+3d', '2026-11-28'], ['-1w', '2026-11-18'],
        ['−2 d', '2026-11-23'],
        ['+1m', '2026-12-25'], ['+1y', '2027-11-25'], ['1/5', '2027-01-05'], ['9/1', '2026-09-01']];
    for (const [text, date] of cases) assert.equal(read('en-US', text), date, text);
    assert.equal(read('en-US', '+3d', '2026-12-30'), '2027-01-02', 'from the date that is there');
    assert.equal(read('en-US', 'mon', '2026-12-30'), '2026-11-30', 'a weekday is the next one from today on');
    assert.equal(read('en-US', '+1m', '2027-01-31'), '2027-02-28');
    assert.equal(read('de-DE', 'Montag'), '2026-11-30');
    assert.deepEqual(typed(field('tasks', 'planned_start'), '+1w', '2026-12-30'), { value: '2027-01-06' });
});

test('what is no date, or could be two, is asked about', () => {
    assert.match(read('en-US', '12/24/26'), /Which year is 26\? .* 2026/);
    assert.match(read('en-GB', '24 Dec 26'), /Which year is 26/);
    assert.match(read('ja-JP', '3/4/2026'), /Is 3 the month or the day/);
    for (const text of ['2/30/2026', '24/12/2026', '2026-13-01', '0/1/2026', '12/24/20266', '-9999y', '+99999y', '1/2/345']) {
        assert.equal(read('en-US', text), 'There is no such date.', text);
    }
    for (const text of ['soon', '24', '1/2/3/4', '12/24/2026 or so', '3<4', 'may june 2026', '', '+3x', '2/2026/x']) {
        assert.match(read('en-US', text), /^Write a date, such as 11\/25\/2026/, text);
    }
});

test('times are read with and without am and pm, and instants are a date and a time', () => {
    const times = { '14:30': '14:30:00', 9: '09:00:00', '2:30 PM': '14:30:00', '12am': '00:00:00', '12 p.m.': '12:00:00',
        '9h15': '09:15:00', '23:59:59': '23:59:59' };
    for (const [text, time] of Object.entries(times)) assert.equal(timeOfDay(text), time, text);
    for (const text of ['24:00', '13pm', '9:60', 'noon', '', '1:2:3:4']) assert.equal(timeOfDay(text), null, text);
    const modified = field('tasks', 'modified_at');
    const local = new Date(2026, 11, 24, 14, 30).toISOString();
    for (const text of ['2026-12-24 14:30', '2026-12-24T14:30', '12/24/2026, 2:30 pm', 'Dec 24, 2026, 2:30 PM', local]) {
        assert.deepEqual(typed(modified, text), { value: local }, text);
    }
    for (const text of ['2026-12-24', '14:30', 'x 14:30', '2026-12-24 25:00']) {
        assert.ok(typed(modified, text).problem, text);
    }
});

test('a block of cells is no value, but a text of several lines is one where the field has lines', () => {
    const [name, notes] = [field('tasks', 'name'), field('tasks', 'notes')];
    assert.match(whyBlock(name, 'Dig\t3\t2026-12-01\nPour\t4\t2026-12-04\n', true), /2 rows and 3 columns/);
    assert.match(whyBlock(name, 'Dig\nPour', false), /2 rows and 1 column,/);
    assert.match(whyBlock(notes, 'Dig\nPour', true), /2 rows and 1 column,/);
    assert.equal(whyBlock(notes, 'Dig\n\tdeep', false), null);
    assert.equal(whyBlock(name, 'Dig\r\n', true), null);
});
