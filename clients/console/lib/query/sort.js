// The order of a table's rows by one field. Rows without a value come last, in either direction.

const COLLATOR = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Rows by the field, `descending` or not; rows that are equal in it by id. `shown(field, row)` is a field's text. */
export function sorted(rows, field, descending, shown) {
    const keyed = rows.map(row => ({ row, key: keyOf(field, row[field.name] ?? null, () => shown(field, row)) }));
    const sign = descending ? -1 : 1;
    keyed.sort((one, other) => inOrder(one.key, other.key, sign) || byID(one.row, other.row));
    return keyed.map(({ row }) => row);
}

function inOrder(one, other, sign) {
    if (one === null || other === null) return (one === null) - (other === null);
    return sign * (typeof one === 'number' ? one - other : COLLATOR.compare(one, other));
}

const byID = ({ id: one }, { id: other }) => (one < other ? -1 : one > other ? 1 : 0);

/** What a value is ordered by: a number, a text, or null for none. */
function keyOf({ kind, document }, value, shown) {
    if (value === null || value === '') return null;
    switch (kind) {
        case 'integer': case 'number': case 'weekdays': return value;
        case 'boolean': return Number(value);
        case 'choice': return document.enum.indexOf(value);
        case 'date': case 'instant': return Date.parse(value);
        case 'text': case 'long text': case 'time': case 'zone': return value;
        default: return shown() || null;
    }
}
