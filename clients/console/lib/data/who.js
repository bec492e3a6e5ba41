/** The collections that say who the reader is. As long as their rows are not there, nothing can be said for certain. */
export const tellWho = catalog => ['projects', catalog.memberships?.name].filter(Boolean);

/** Who the reader is in a project: `{ user, role, isArchived }`, for fields/access.js. */
export function whoIn(context, catalog, rowsOf, project) {
    const user = context.state.user?.id ?? null;
    const membership = [...rowsOf(catalog.memberships?.name)?.values() ?? []].find(row => row.user === user);
    const isArchived = [...rowsOf('projects')?.values() ?? []].find(({ id }) => id === project)?.is_archived === true;
    return { user, role: membership?.role ?? null, isArchived };
}
