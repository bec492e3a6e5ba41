/** The columns that projects are sorted by, with the value of a project. */
export const COLUMNS = [
    ['Project', ({ project_name: name, project_id: id }) => (name || id).toLowerCase()],
    ['Rows', ({ rows }) => rows],
    ['Grown', ({ grown }) => grown?.rows ?? 0],
    ['Commits', ({ grown }) => grown?.commits ?? 0],
    ['Tombstones', ({ tombstones }) => tombstones],
    ['Answers', ({ answers }) => answers],
    ['Lost edits', ({ rejected }) => rejected],
];

/** The projects in the order of a column. Texts go up from A, numbers down from the greatest, unless `isTurned`. */
export function sorted(projects, column, isTurned) {
    const [, valueOf] = COLUMNS[column];
    const compare = (one, other) => (typeof one === 'string' ? one.localeCompare(other) : other - one);
    return [...projects].sort((one, other) => (isTurned ? -1 : 1) * compare(valueOf(one), valueOf(other))
        || (one.project_id < other.project_id ? -1 : 1));
}
