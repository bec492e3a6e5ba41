// Mistakes that the campaign must find. Each is a change of files as they are served: by name, `[text, replacement]`.

export const PLANTS = {
    'an edit is stored after its promise has resolved': {
        'tidemark/lib/window/client.js': [[
            'await this._replica.update(collection, id, values);',
            'setTimeout(() => this._replica.update(collection, id, values).then(() => this._hub.edited()), 150);',
        ]],
    },
    'a batch without an answer is forgotten when a window opens': {
        'tidemark/lib/store/replica.js': [[
            'unit.state = { ...unit.state };',
            'unit.state = { ...unit.state }; (await unit.batches()).all.forEach(each => unit._batches.remove(each));',
        ]],
    },
    'a batch without an answer is sent again under another id': {
        'tidemark/lib/store/next-batch.js': [[
            'if (batches.waiting) return { ...batches.waiting, epoch: unit.state.epoch };',
            'if (batches.waiting) batches.remove(batches.waiting);',
        ]],
    },
    'each window pushes': {
        'tidemark/lib/window/hub.js': [['locks.request(this.name,', 'locks.request(`${this.name} ${Math.random()}`,']],
    },
    'a window is not told what the other one has changed': {
        'tidemark/lib/window/hub.js': [['rows: message => this._heard(Change.from(message)),', 'rows: () => {},']],
    },
    'an edit that is in conflict goes nowhere': {
        'tidemark/lib/store/settle.js': [['if (lost) await', 'if (false) await']],
    },
    'an answer settles what was edited since': {
        'tidemark/lib/store/settle.js': [[
            'if (after) this.rows.put(after);',
            'if (after) this.rows.put({ ...after, _status: "synced", _changed: [], _base: null });',
        ]],
    },
    'a page overwrites what is unsent': {
        'tidemark/lib/rows/record.js': [['...without(row.values, record._changed)', '...row.values']],
    },
    'undo over another\'s value': {
        'lib/edit/undo/turned.js': [['expected: only(after, names) }', 'expected: {} }']],
    },
    'redo under a dead id': {
        'lib/edit/edits.js': [['[`${collection} ${id}`, this.tidemark.newID()]', '[`${collection} ${id}`, id]']],
    },
    'a key by siblings': {
        'tidemark/lib/order/key.js': [[
            'const entries = siblings.map(each => new Entry(rowOf(each), each));',
            'const isCoded = siblings.every(each => rowOf(each).wbs_path); '
                + 'const entries = siblings.map(each => '
                + 'new Entry(isCoded ? rowOf(each) : { ...rowOf(each), wbs_path: null }, each));',
        ]],
    },
    'a place between equals': {
        'tidemark/lib/order/placing.js': [
            ['if (low === null || high === null || low < high) return;', 'return;'],
            [
                'const [low, high] = [this.low, this.high];',
                'const [low, high] = [this.low, this.high]; if (low !== null && low >= high) return low + "V";',
            ],
        ],
    },
    'a place in conflict is set aside': {
        'tidemark/lib/rows/settlement.js': [['if (isPlaceOnly(sent, fate.reasons))', 'if (false)']],
    },
};

/** How often what happens, for mistakes that the usual mix seldom brings out: see `STEPS` of campaign.js. */
export const MIXES = {
    'undo over another\'s value': 'xxxxeptu', 'redo under a dead id': 'xxxxeptu',
    'a key by siblings': 'eeepppp', 'a place between equals': 'eeeeeeen',
    'a place in conflict is set aside': 'eeemmmmmn',
};
