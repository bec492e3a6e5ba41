// What the server takes as the formats of a text: Sources/SyncProtocol/Instant.swift.

const DAY = 86_400_000;
const FIRST = -62_135_596_800_000;
const LAST = 253_402_300_799_999;
/** The most bytes that a text of the format `byte` stands for. */
const MOST_BYTES = 65_536;

/** A check gives the text in normal form; null if it has not the format. */
export const FORMATS = {
    date: { check: text => (dayOf(text) === null ? null : text), hint: 'a day as YYYY-MM-DD' },
    'date-time': { check: instant, hint: 'an instant as YYYY-MM-DDTHH:MM:SSZ' },
    time: { check: text => (timeOf(text) === null ? null : text), hint: 'a time as HH:MM:SS' },
    'iana-timezone': { check: text => (couldBeZone(text) ? text : null), hint: 'an IANA time zone such as Europe/Berlin' },
    blob: { check: text => (/^[0-9a-f]{64}$/.test(text) ? text : null), hint: 'the SHA-256 of a file, in 64 digits of 0-9 and a-f' },
    byte: { check: text => (holdsBytes(text) ? text : null), hint: `base64 with =, of at most ${MOST_BYTES} bytes` },
};

/** Canonical base64 (RFC 4648, section 4): the bits that the padding leaves over are 0. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;

function holdsBytes(text) {
    const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
    return (text.length / 4) * 3 - padding <= MOST_BYTES && BASE64.test(text);
}

/** Milliseconds since 1970 of a day of the proleptic Gregorian calendar. */
function dayOf(text) {
    if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
    const [year, month, day] = text.split('-').map(Number);
    const date = new Date(0);
    // `Date.UTC` would take a year below 100 as one of the last century.
    date.setUTCFullYear(year, month - 1, day);
    return year >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : null;
}

/** Milliseconds since midnight. */
function timeOf(text) {
    if (!/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(text)) return null;
    const [hours, minutes, seconds] = text.split(':').map(Number);
    return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

const INSTANT = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:)(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

function instant(text) {
    const [, date, hour, second, fraction = '', sign, hours = 0, minutes = 0] = INSTANT.exec(text) ?? [];
    const isLeap = second === '60';
    const [day, time] = [dayOf(date ?? ''), timeOf(`${hour}${isLeap ? '59' : second}`)];
    if (day === null || time === null) return null;
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
    const whole = day + time - offset + (isLeap ? 1000 : 0);
    if (isLeap && !beginsMonth(whole)) return null;
    const milliseconds = whole + Number(fraction.slice(0, 3).padEnd(3, '0'));
    return milliseconds >= FIRST && milliseconds <= LAST ? new Date(milliseconds).toISOString() : null;
}

/** A leap second is the last one of a month: RFC 3339, section 5.7. */
const beginsMonth = milliseconds => milliseconds % DAY === 0 && new Date(milliseconds).getUTCDate() === 1;

/**
 * Whether a text has the form of a time zone's name. The server has a list of them; that of a device may be older, so it
 * proves nothing.
 */
const couldBeZone = text => /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(text);
