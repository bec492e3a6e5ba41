const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/** The day of an instant in the reader's zone, in words. `now` is milliseconds since 1970. */
export function dayText(at, now = Date.now()) {
    const [date, today] = [new Date(at), new Date(now)];
    const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
    if (date.toDateString() === today.toDateString()) return 'Today';
    return date.toDateString() === yesterday.toDateString() ? 'Yesterday' : DAY.format(date);
}
