/** Whether two JSON values are equal. The order of members does not matter. */
export function areSame(one, other) {
    if (one === other) return true;
    if (!one || !other || typeof one !== 'object' || typeof other !== 'object') return false;
    if (Array.isArray(one) !== Array.isArray(other)) return false;
    const names = Object.keys(one);
    return names.length === Object.keys(other).length
        && names.every(name => Object.hasOwn(other, name) && areSame(one[name], other[name]));
}

/** The members with these names. */
export const only = (values, names) =>
    Object.fromEntries(names.filter(name => Object.hasOwn(values, name)).map(name => [name, values[name]]));

/** The members without those of these names. */
export const without = (values, names) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

/** An id that the server takes: 1 to 64 letters, digits, `_`, `.` or `-`, beginning with a letter or digit. */
export const isID = id => typeof id === 'string' && /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(id);
