/**
 * Throws unless the caller knows each option. A misspelt one would count as left out; and with `project` left out,
 * everything that the user has takes the place of one project. So `project` without a value is refused, too: the app
 * may not know yet which one it is.
 */
export function checkOptions(caller, options, names) {
    const unknown = Object.keys(options).find(name => !names.includes(name));
    if (unknown !== undefined) throw new TypeError(`${caller} has no option ${unknown}.`);
    if (!Object.hasOwn(options, 'project') || options.project === null) return;
    const { project } = options;
    if (typeof project === 'string' && project !== '') return;
    const given = project === '' ? 'empty' : typeof project === 'undefined' ? 'undefined' : `a ${typeof project}`;
    throw new TypeError(`The option project of ${caller} is ${given}. Leave it out to sync all projects.`);
}
