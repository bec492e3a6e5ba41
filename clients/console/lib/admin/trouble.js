/** An error of the console's own, in words for a person. `field` is that of a form which it is about. */
export const trouble = (code, detail, field) => Object.assign(new Error(detail), { code, detail, field });
