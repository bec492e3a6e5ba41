// Days of the week as a number: Monday is bit 1, Sunday bit 64.

const SHORT = new Intl.DateTimeFormat(undefined, { weekday: 'short', timeZone: 'UTC' });
const LONG = new Intl.DateTimeFormat(undefined, { weekday: 'long', timeZone: 'UTC' });
/** The 1st of January 2024 was a Monday. */
const day = place => new Date(Date.UTC(2024, 0, 1 + place));
const PLACES = [0, 1, 2, 3, 4, 5, 6];

/** The seven days as options of a picker. */
export const dayOptions = () => PLACES.map(place => ({ value: 2 ** place, label: LONG.format(day(place)) }));

/** The bits of a number. */
export const daysOf = mask => PLACES.map(place => 2 ** place).filter(bit => (mask & bit) !== 0);

export const maskOf = days => days.reduce((sum, bit) => sum | bit, 0);

/** “Mon–Fri”, “Mon, Wed”: three days or more in a row are joined. */
export function daysText(mask) {
    const runs = [];
    for (const place of PLACES.filter(each => (mask & 2 ** each) !== 0)) {
        if (runs.at(-1)?.at(-1) === place - 1) runs.at(-1).push(place);
        else runs.push([place]);
    }
    const name = place => SHORT.format(day(place));
    return runs.map(run => (run.length < 3 ? run.map(name).join(', ')
        : `${name(run[0])}–${name(run.at(-1))}`)).join(', ');
}
