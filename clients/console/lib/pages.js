import { pathTo } from './routes.js';

/**
 * The pages of the console.
 *
 * A page is a module that exports `open(context, parameters)`, which returns `{ element, close(), title }` or a promise
 * of it. `element` is shown until another route is chosen; then `close()` is called once, and must end live queries and
 * listeners on the window. `title` is for the window's title.
 *
 * `parameters` has what the path says for the `:names` of the route, and `query` with what follows the `?`.
 *
 * `context` has:
 * - `tidemark`: the open copy, see clients/web/index.d.ts,
 * - `edits`: through which everything is edited, so it can be taken back: see edit/edits.js,
 * - `api(method, path, { body, query })`: one request to the REST API, which needs a network,
 * - `go(path)`: shows another page, `replace(path)` does so without a new step to go back to,
 * - `state`, `onState(callback)`: of the copy; `onState` returns a function that ends it,
 * - `isSuperuser`: false until the server has said so; `superuser()` asks it.
 *
 * `place` says where a link stands: `top` for the whole console, `project` within the project of the route, `server`
 * beside the pages for superusers, in its `group`. Without it there is none; `under` is then the route of the page that
 * leads there. Pages with `isForSuperusers` are shown to nobody else; the server decides what anybody may see.
 */
export const PAGES = [
    { route: '/projects', text: 'Projects', place: 'top', load: () => import('./projects/page.js') },
    { route: '/unsent', text: 'Unsent', place: 'top', load: () => import('./unsent/page.js') },
    { route: '/plan/:project', text: 'Plan', place: 'project', load: () => import('./plan/page.js') },
    { route: '/account', text: 'Account', place: 'top', load: () => import('./account/page.js') },
    {
        route: '/plan/:project/members', text: 'Members', place: 'project',
        load: () => import('./members/page.js'),
    },
    {
        route: '/plan/:project/:collection', text: 'Tables', place: 'project', load: () => import('./table/page.js'),
        path: ({ project }) => pathTo('/plan/:project/tasks', { project }),
    },
    { route: '/row/:collection/:id', text: 'Row', place: null, load: () => import('./row/page.js') },
    ...[
        { route: '/now', text: 'Now', group: 'Operation', load: () => import('./now/page.js') },
        { route: '/storage', text: 'Storage', group: 'Operation', load: () => import('./storage/page.js') },
        { route: '/people', text: 'People', group: 'People', load: () => import('./people/page.js') },
        { route: '/devices', text: 'Devices', group: 'People', load: () => import('./devices/page.js') },
        { route: '/audit', text: 'Audit', group: 'People', load: () => import('./audit/page.js') },
        { route: '/lost', text: 'Lost edits', group: 'Rows', load: () => import('./lost/page.js') },
        { route: '/explain', text: 'Explain', group: 'Rows', load: () => import('./explain/page.js') },
        {
            route: '/people/:user', text: 'Person', under: '/people', place: null,
            load: () => import('./people/person-page.js'),
        },
    ].map(page => ({ place: 'server', isForSuperusers: true, ...page })),
];

/** What is shown first. */
export const FIRST = '/projects';
