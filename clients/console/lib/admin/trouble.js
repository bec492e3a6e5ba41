/** An error of the console's own, in words for a person. */
export const trouble = (code, detail) => Object.assign(new Error(detail), { code, detail });
