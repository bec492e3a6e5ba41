import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matched, pathTo, routeOf } from '../lib/routes.js';

const PAGES = ['/projects', '/plan/:project', '/plan/:project/:collection', '/row/:collection/:id']
    .map(route => ({ route }));
const found = path => {
    const { page, parameters } = matched(PAGES, path) ?? {};
    return page && [page.route, parameters];
};

test('a hash is a path and a query', () => {
    assert.deepEqual(routeOf('#/plan/a?zoom=week&x='), { path: '/plan/a', query: { zoom: 'week', x: '' } });
    assert.deepEqual(routeOf(''), { path: '/', query: {} });
    assert.deepEqual(routeOf('#'), { path: '/', query: {} });
});

test('a path finds its page with what it says', () => {
    assert.deepEqual(found('/projects'), ['/projects', {}]);
    assert.deepEqual(found('/plan/boat'), ['/plan/:project', { project: 'boat' }]);
    const table = { project: 'boat', collection: 'tasks' };
    assert.deepEqual(found('/plan/boat/tasks'), ['/plan/:project/:collection', table]);
});

test('no page for what is no path', () => {
    for (const path of ['/', '/plan', '/plan/', '/projects/', '/plan/a/b/c', '/plan/%E0%A4%A', 'page']) {
        assert.equal(matched(PAGES, path), null, path);
    }
});

test('ids come through whatever they have in them', () => {
    for (const id of ['a/b', 'a b', 'ü?#%', '..', '<img src=x>', '%2F']) {
        const path = pathTo('/row/:collection/:id', { collection: 'tasks', id });
        assert.deepEqual(found(routeOf(`#${path}`).path), ['/row/:collection/:id', { collection: 'tasks', id }]);
    }
});
