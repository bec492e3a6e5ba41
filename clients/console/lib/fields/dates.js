import { dateOf, dayOf, instantOf, weekdayOf } from '../plan/model/days.js';

// Dates and times as people type them. A native date field drops the key that opens an editor, takes years of two
// digits for the first century, and takes no pasted date, so editors are text fields.

const GREGORIAN = { calendar: 'gregory', numberingSystem: 'latn', timeZone: 'UTC' };
const ENGLISH = 'en-US';

/** Between a date such as `2026-12-24` and the text of a person, in the order and with the words of a language. */
export class DateText {
    constructor(locale) {
        const format = options => new Intl.DateTimeFormat(locale, { ...GREGORIAN, ...options });
        this._numeric = format({ year: 'numeric', month: '2-digit', day: '2-digit' });
        this._full = format({ dateStyle: 'full' });
        this._order = this._numeric.formatToParts(0).map(({ type }) => type)
            .filter(type => ['year', 'month', 'day'].includes(type));
        const languages = [ENGLISH, locale];
        this._months = wordsOf(languages, { month: 'long' }, { month: 'short' }, { dateStyle: 'medium' },
            { dateStyle: 'full' });
        this._weekdays = weekdaysOf(languages);
    }

    /** The date in figures, with a year of four digits: it reads as the same date. */
    shown(date) {
        const day = dayOf(date);
        return day === null ? date : this._numeric.format(instantOf(day)).replace(MARKS, '');
    }

    /** The date in words, with its weekday. */
    inWords(date) {
        return this._full.format(instantOf(dayOf(date)));
    }

    /**
     * What was typed, as `{ value }`, a date, or `{ problem }`, a sentence. `today` is a number of days (see days.js),
     * and so is `from`, from which `+3d` counts: the date that is there already, or null for today.
     */
    read(text, { today, from = null }) {
        const plain = folded(text);
        const day = relative(plain, from ?? today) ?? this._named(plain, today);
        if (day !== null) return inRange(day);
        if (/^\d{8}$/.test(plain)) return whole(plain.slice(0, 4), plain.slice(4, 6), plain.slice(6));
        const parts = this._parts(plain);
        return parts ? this._dated(parts, from ?? today) : { problem: this._help(today) };
    }

    _help(today) {
        return `Write a date, such as ${this.shown(dateOf(today))} or ${dateOf(today)}. “today”, “mon” and “+3d” will `
            + 'do, too.';
    }

    /** A word for a day. A weekday is the next one after today. */
    _named(text, today) {
        if (Object.hasOwn(NEAR, text)) return today + NEAR[text];
        const weekday = this._weekdays.get(text.replace(/\.$/, ''));
        return weekday === undefined ? null : today + ((weekday - weekdayOf(today) + 6) % 7) + 1;
    }

    /** The numbers of a text, and its month if that is a word; null if there is a word that is part of no date. */
    _parts(text) {
        if (/[^\p{L}\p{M}\d\s.,/\-]/u.test(text)) return null;
        const words = text.match(WORD) ?? [];
        const months = words.map(word => this._months.get(word)).filter(month => month !== undefined);
        const isKnown = word => this._months.has(word) || this._weekdays.has(word) || FILLERS.has(word);
        if (!words.every(isKnown) || months.length > 1) return null;
        return { numbers: text.match(/\d+/g) ?? [], month: months[0] ?? null, hasDots: text.includes('.') };
    }

    _dated({ numbers, month, hasDots }, near) {
        if (month !== null) return withMonth(numbers, month, near) ?? { problem: this._help(near) };
        if (numbers.length === 2) return yearless(this._inOrder(['month', 'day'], numbers), near);
        if (numbers.length !== 3) return { problem: this._help(near) };
        if (numbers[0].length > 2) return whole(...numbers);
        if (this._order[0] === 'year' && numbers[2].length > 2) return yearLast(numbers, hasDots);
        const { year, month: number, day } = this._inOrder(['year', 'month', 'day'], numbers);
        return whole(year, number, day);
    }

    /** The numbers by name, in the language's order of these names. */
    _inOrder(names, numbers) {
        return Object.fromEntries(this._order.filter(name => names.includes(name))
            .map((name, place) => [name, numbers[place]]));
    }
}

/** A word may have points in it: `ต.ค.` */
const WORD = /[\p{L}\p{M}]+(\.[\p{L}\p{M}]+)*/gu;
const MARKS = /[\u200e\u200f\u061c]/g;
const NEAR = { today: 0, tomorrow: 1, yesterday: -1 };
// Words between the parts of a date: `24 de diciembre de 2026`, `2026年12月24日`, `24th of December`.
const FILLERS = new Set(['de', 'del', 'of', 'the', 'th', 'st', 'nd', 'rd', 'er', 'a', 'e', 'г', 'р', '年', '月', '日',
    '년', '월', '일']);

/** Lower case without marks of direction, with Latin digits and plain signs. */
const folded = text => text.normalize('NFC').replace(MARKS, '').replace(/[−–—]/g, '-').trim().toLowerCase()
    .replace(/\p{Nd}/gu, digit => valueOf(digit));

/** Decimal digits stand in runs of ten, each of which begins at its zero. */
function valueOf(digit) {
    const code = digit.codePointAt(0);
    if (code < 0x80) return digit;
    let zero = code;
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && code - zero < 9) zero -= 1;
    return String(code - zero);
}

const UNITS = { d: 1, w: 7 };

/** `+3d`, `-2w`, `+1m`, `+1y`, `+3`: so much after or before a day; null for anything else. */
function relative(text, from) {
    const [, sign, amount, unit = 'd'] = /^([+-])\s*(\d{1,5})\s*([dwmy])?$/.exec(text) ?? [];
    if (!sign) return null;
    const count = Number(`${sign}${amount}`);
    return UNITS[unit] ? from + count * UNITS[unit] : monthsOn(from, unit === 'y' ? 12 * count : count);
}

/** The same day of the month so many months on, or the last day of a month that has no such day. */
function monthsOn(day, count) {
    const date = instantOf(day);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + count];
    const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    return Date.UTC(year, month, Math.min(date.getUTCDate(), last)) / DAY;
}

const DAY = 86_400_000;
const [FIRST_DAY, LAST_DAY] = [dayOf('0001-01-01'), dayOf('9999-12-31')];
const NO_SUCH = { problem: 'There is no such date.' };

const inRange = day => (day >= FIRST_DAY && day <= LAST_DAY ? { value: dateOf(day) } : NO_SUCH);

/** A date of three numbers, if there is one. A year needs its four digits. */
function whole(year, month, day) {
    if (year.length < 3) {
        return { problem: `Which year is ${year}? Write it with four digits, such as 20${twoOf(year)}.` };
    }
    const value = `${year}-${twoOf(month)}-${twoOf(day)}`;
    const found = value.length === 10 ? dayOf(value) : null;
    return found !== null && found >= FIRST_DAY && dateOf(found) === value ? { value } : NO_SUCH;
}

const twoOf = number => String(number).padStart(2, '0');

/** In a language that writes the year first. What can be a day only is one; where both could be, dots put it first. */
function yearLast([one, other, year], hasDots) {
    const isDayFirst = Number(one) > 12 || (hasDots && Number(other) <= 12);
    if (!isDayFirst && Number(other) <= 12 && one !== other) {
        return { problem: `Is ${one} the month or the day? Write the date as ${year}-${twoOf(one)}-${twoOf(other)}.` };
    }
    return isDayFirst ? whole(year, other, one) : whole(year, one, other);
}

/** Without a year it is the one that is nearest to the day `near`. */
function yearless({ month, day }, near) {
    const year = instantOf(near).getUTCFullYear();
    const found = [year - 1, year, year + 1].map(each => whole(String(each), month, day)).filter(({ value }) => value);
    const distance = ({ value }) => Math.abs(dayOf(value) - near);
    return found.sort((one, other) => distance(one) - distance(other))[0] ?? NO_SUCH;
}

/** The month is a word, so of two numbers the year is the longer one. */
function withMonth(numbers, month, near) {
    if (numbers.length === 1) return yearless({ month, day: numbers[0] }, near);
    if (numbers.length !== 2) return null;
    const [one, other] = numbers;
    return one.length > 2 ? whole(one, month, other) : whole(other, month, one);
}

/** The names of the months in some languages, in the forms that these formats have, as numbers from 1. */
function wordsOf(languages, ...formats) {
    const found = new Map();
    for (const language of languages) for (const options of formats) {
        const format = new Intl.DateTimeFormat(language, { ...GREGORIAN, ...options });
        for (let month = 1; month <= 12; month += 1) {
            const { value } = format.formatToParts(Date.UTC(2026, month - 1, 1)).find(({ type }) => type === 'month');
            for (const word of folded(value).match(WORD) ?? []) {
                if (!FILLERS.has(word)) found.set(word, month);
            }
        }
    }
    return found;
}

/** The names of the days of the week, as numbers from 0 for Monday. */
function weekdaysOf(languages) {
    const found = new Map();
    for (const language of languages) for (const weekday of ['long', 'short']) {
        const format = new Intl.DateTimeFormat(language, { timeZone: 'UTC', weekday });
        for (let day = 0; day < 7; day += 1) found.set(folded(format.format(instantOf(day + 4))).replace(/\.$/, ''), day);
    }
    return found;
}

/** The time of day that was typed, `14:30:00`: of 24 hours, or of 12 with am or pm; null if it is none. */
export function timeOfDay(text) {
    const form = /^(\d{1,2})(?:[:.h](\d{2})(?:[:.](\d{2}))?)?\s*([ap])?(?:\.?m\.?)?$/;
    const [, hour, minute = '0', second = '0', half] = form.exec(folded(text)) ?? [];
    if (hour === undefined || (half && (hour < 1 || hour > 12))) return null;
    const hours = half ? Number(hour) % 12 + (half === 'p' ? 12 : 0) : Number(hour);
    if (hours > 23 || minute > 59 || second > 59) return null;
    return [hours, minute, second].map(part => twoOf(Number(part))).join(':');
}

/** In the reader's language. */
export const dates = new DateText();
