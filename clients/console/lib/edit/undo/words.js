// How rows and steps are called in sentences.

/** “Walls”: how a row is called in a sentence. Long names are cut. */
export function quoted(name) {
    const text = String(name);
    return `“${text.length > 60 ? `${text.slice(0, 59)}…` : text}”`;
}

/** How a step is called that changes one field of a row. */
export const changeOf = (field, name) => `Change ${field.label} of ${quoted(name)}`;
