// What an IndexedDB does, as a list. The one of the tests and a browser's must do the same.

const asked = request => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
});

const ended = transaction => new Promise(resolve => {
    transaction.oncomplete = () => resolve('complete');
    transaction.onabort = () => resolve(`abort ${transaction.error?.name ?? ''}`);
});

/** The name of the error that `work` throws. */
function thrown(work) {
    try {
        work();
        return 'nothing';
    } catch (error) {
        return error.name;
    }
}

export async function behaviour(indexedDB, KeyRange) {
    const seen = [];
    const db = await opened(indexedDB);
    const put = (transaction, value) => asked(transaction.objectStore('rows').put(value));
    const begin = (mode = 'readwrite') => db.transaction(['rows', 'numbered', 'plain'], mode);
    const row = (collection, id, rest = {}) => ({ collection, id, ...rest });

    // A transaction lives as long as promises ask something of it at once, and ends by itself.
    const one = begin();
    await put(one, row('a', '1', { project: 'p', unsent: 1, references: [['b', '1'], ['b', '1'], 7, null] }));
    await Promise.resolve();
    await put(one, row('a', '2', { project: 'q', references: [] }));
    await put(one, row('b', '1', { project: 'p' }));
    seen.push(await ended(one), thrown(() => one.objectStore('rows')), thrown(() => one.abort()));

    const two = begin('readonly');
    const store = two.objectStore('rows');
    const ids = rows => rows.map(({ collection, id }) => collection + id).join();
    seen.push(ids(await asked(store.getAll(KeyRange.bound(['a'], ['a', []], false, true)))));
    seen.push(ids(await asked(store.index('project').getAll(KeyRange.bound(['p'], ['p', []], false, true)))));
    seen.push(JSON.stringify(await asked(store.index('unsent').getAllKeys())));
    seen.push(ids(await asked(store.index('references').getAll(['b', '1']))));
    seen.push(await asked(store.count()), await asked(store.index('unsent').count()));
    seen.push(await asked(store.get(['c', '1'])) === undefined, thrown(() => store.put(row('c', '1'))));
    seen.push(await ended(two));

    // What waits for something else finds the transaction closed.
    const three = begin();
    await put(three, row('c', '1'));
    const outcome = ended(three);
    await new Promise(resolve => setTimeout(resolve, 20));
    seen.push(thrown(() => three.objectStore('rows').put(row('c', '2'))), await outcome);

    // An aborted one leaves nothing, not even the numbers it gave.
    const four = begin();
    await put(four, row('d', '1'));
    const number = await asked(four.objectStore('numbered').put({ what: 'x' }));
    const pending = asked(four.objectStore('rows').get(['d', '1'])).catch(error => error.name);
    const aborted = ended(four);
    four.abort();
    seen.push(await pending, await aborted);
    const five = begin();
    seen.push(await asked(five.objectStore('rows').get(['d', '1'])) === undefined);
    seen.push(await asked(five.objectStore('numbered').put({ what: 'y' })) - number);
    seen.push(await asked(five.objectStore('plain').put('value', 'key')));
    seen.push(await asked(five.objectStore('plain').get('key')));
    await asked(five.objectStore('rows').delete(['a', '1']));
    await asked(five.objectStore('plain').clear());
    seen.push(await asked(five.objectStore('plain').count()), await ended(five));

    // Values are copies. Those that write wait for each other, in the order in which they began.
    const value = row('e', '1', { list: [1] });
    const [six, seven] = [begin(), begin()];
    const order = [];
    const later = put(seven, row('e', '2')).then(() => order.push('second'));
    const sooner = put(six, value).then(() => order.push('first'));
    value.list.push(2);
    await Promise.all([sooner, later]);
    const eight = begin('readonly').objectStore('rows');
    seen.push(order.join(), (await asked(eight.get(['e', '1']))).list.length);

    // Keys are in the order of their kinds, texts in that of their units; lists stop where they are told to.
    const nine = begin();
    const plain = nine.objectStore('plain');
    const keys = [[1, '\uDBFF', 'a'], [1, -Infinity, 'b'], [1, [], 'c'], [1, -2.5, 'd'], [1, '', 'e'], [1, '\uFFFF', 'f'],
        [1, '\uE000', 'g'], [1, 0, 'h'], [2, 0, 'i'], [1, [[]], 'j']];
    for (const key of keys) plain.put(0, key);
    const among = KeyRange.bound([1], [1, [[]]], false, true);
    const last = list => list.map(key => key.at(-1)).join();
    seen.push(last(await asked(plain.getAllKeys(among))), last(await asked(plain.getAllKeys(among, 3))));
    seen.push((await asked(plain.getAll(among, 2))).length, (await asked(plain.getAll(among, undefined))).length);
    await asked(plain.delete(KeyRange.bound([1], [1, 'x'], false, true)));
    seen.push(last(await asked(plain.getAllKeys())), await ended(nine));

    // Another version takes the connection away; an older one is refused. Without a version it is the one that is there.
    const told = new Promise(resolve => {
        db.onversionchange = ({ newVersion }) => {
            db.close();
            resolve(`versionchange ${newVersion}`);
        };
    });
    const next = indexedDB.open('behaviour', 2);
    let before;
    next.onupgradeneeded = ({ oldVersion }) => { before = oldVersion; };
    seen.push(await told, thrown(() => begin()));
    (await asked(next)).close();
    seen.push(before, await asked(indexedDB.open('behaviour', 1)).catch(error => error.name));
    const same = await asked(indexedDB.open('behaviour'));
    seen.push(same.version);
    same.close();
    const fresh = await asked(indexedDB.open('behaviour of none'));
    seen.push(fresh.version);
    fresh.close();

    // One that is not made after all is not there.
    for (const isMade of [false, true]) {
        const request = indexedDB.open('behaviour of one that is looked for');
        request.onupgradeneeded = ({ oldVersion }) => {
            seen.push(oldVersion);
            request.result.createObjectStore('rows');
            if (!isMade) request.transaction.abort();
        };
        const result = await asked(request).catch(error => error.name);
        seen.push(isMade ? [...result.objectStoreNames].join() : result);
        if (isMade) result.close();
    }
    return seen;
}

function opened(indexedDB) {
    const request = indexedDB.open('behaviour', 1);
    request.onupgradeneeded = () => {
        const rows = request.result.createObjectStore('rows', { keyPath: ['collection', 'id'] });
        rows.createIndex('project', ['project', 'collection']);
        rows.createIndex('unsent', 'unsent');
        rows.createIndex('references', 'references', { multiEntry: true });
        request.result.createObjectStore('numbered', { keyPath: 'number', autoIncrement: true });
        request.result.createObjectStore('plain');
    };
    return asked(request);
}
