// What docs/react-native.md imports from WatermelonDB. It is as strict about schemas
// and migrations as the real package.
import assert from 'node:assert/strict';
import { Database as StandIn } from '../standin.js';

export { synchronize } from '../synchronize.js';

export const hasUnsyncedChanges = async ({ database }) => database.hasChanges();

export class Model {}

/** A decorator returns how its property reads and writes a column. */
const decorator = (read, write) => (column, ...options) => {
    assert.match(column, /^[a-z_]+$/);
    return { column, read: value => read(value, ...options), write };
};
const same = value => value;
export const [field, text] = [decorator(same, same), decorator(same, same)];
export const date = decorator(value => value && new Date(value), value => value?.getTime() ?? null);
export const json = decorator((value, sanitizer) => sanitizer(value ? JSON.parse(value) : undefined), JSON.stringify);
export const relation = (table, column) => {
    assert.match(table, /^[a-z_]+$/);
    return { ...field(column), isRelation: true };
};

/** The checks of `appSchema` and `tableSchema` that concern names. */
export function tableSchema({ name, columns }) {
    assert.match(name, /^[a-zA-Z_]\w*$/);
    for (const { name: column, type, isOptional } of columns) {
        assert.match(column, /^(?!(id|_status|_changed|rowid|oid|sqlite_.*|__.*)$)[a-zA-Z_]\w*$/);
        assert.ok(['string', 'number', 'boolean'].includes(type));
        if (['created_at', 'updated_at'].includes(column)) assert.ok(type === 'number' && !isOptional, column);
    }
    return { name, columnArray: columns, columns: Object.fromEntries(columns.map(column => [column.name, column])) };
}

export function appSchema({ version, tables }) {
    assert.ok(tables.every(({ columnArray }) => Array.isArray(columnArray)));
    return { version, tables: Object.fromEntries(tables.map(table => [table.name, table])) };
}

export function schemaMigrations({ migrations }) {
    for (const { toVersion, steps } of migrations) assert.ok(toVersion > 1 && steps.length);
    return migrations;
}

export const addColumns = ({ table, columns }) => {
    assert.ok(columns.every(({ type }) => type));
    return { type: 'add_columns', table, columns };
};
export const createTable = table => ({ type: 'create_table', ...tableSchema(table) });

export class SQLiteAdapter {
    constructor(options) {
        const newest = Math.max(1, ...options.migrations.map(({ toVersion }) => toVersion));
        assert.equal(newest, options.schema.version, 'Missing migration');
        Object.assign(this, options);
    }
}

/** The files on the phone, by name. */
export const files = new Map();

const rules = columns => Object.fromEntries(columns.map(({ name, type, isOptional = false }) =>
    [name, { type, isOptional }]));

/** Opens a file and runs the migrations that it lacks. */
export class Database {
    constructor({ adapter, modelClasses }) {
        const { schema, migrations, dbName } = adapter;
        assert.ok(modelClasses.every(({ table }) => table in schema.tables));
        const wanted = Object.fromEntries(Object.values(schema.tables).map(({ name, columnArray }) =>
            [name, rules(columnArray)]));
        const file = files.get(dbName) ?? new File({ schema: wanted, version: schema.version });
        for (const { toVersion, steps } of migrations) if (toVersion > file.version) file.migrate(steps);
        assert.deepEqual(file.schema, wanted, 'The migrations do not lead to the schema.');
        const stepsOf = (steps, type) => steps.filter(step => step.type === type);
        Object.assign(file, { version: schema.version, adapter: { dbName } });
        file.migrations = migrations.map(({ toVersion, steps }) => ({
            toVersion, tables: stepsOf(steps, 'create_table').map(({ name }) => name),
            columns: stepsOf(steps, 'add_columns').map(({ table, columns }) =>
                ({ table, columns: columns.map(({ name }) => name) })),
        }));
        file.modelClasses = modelClasses;
        files.set(dbName, file);
        return file;
    }
}

class File extends StandIn {
    #listeners = new Set();

    migrate(steps) {
        for (const { type, table, name, columns, columnArray } of steps) {
            if (type === 'create_table') {
                if (name in this.schema) throw new Error(`table ${name} already exists`);
                this.schema = { ...this.schema, [name]: rules(columnArray) };
                this.table(name);
                continue;
            }
            for (const column of columns) {
                if (column.name in this.schema[table]) throw new Error(`duplicate column name: ${column.name}`);
            }
            this.schema = { ...this.schema, [table]: { ...this.schema[table], ...rules(columns) } };
            for (const row of this.table(table).values()) Object.assign(row, this.sanitized(table, row));
        }
    }

    /** The collection of a table, with its model class. */
    get(table) {
        const modelClass = this.modelClasses.find(modelClass => modelClass.table === table);
        return {
            create: async build => {
                const id = Math.random().toString(36).slice(2).padEnd(16, '0').slice(0, 16);
                const values = {};
                build(record(this, modelClass, id, values));
                this.create(table, { id, ...values });
                return record(this, modelClass, id);
            },
            find: async id => record(this, modelClass, id),
        };
    }

    async unsafeResetDatabase() {
        this.reset();
    }

    /** Notifies once on subscription, and then on each edit. */
    withChangesForTables(tables) {
        const subscribe = listener => {
            const told = name => tables.includes(name) && listener(name);
            this.#listeners.add(told);
            listener(null);
            return { unsubscribe: () => this.#listeners.delete(told) };
        };
        return { subscribe, pipe: (...operators) => operators.reduce((source, next) => next(source), { subscribe }) };
    }

    create(name, row) {
        super.create(name, row);
        for (const listener of this.#listeners) listener(name);
    }

    update(name, id, values) {
        super.update(name, id, values);
        for (const listener of this.#listeners) listener(name);
    }

    remove(name, id) {
        super.remove(name, id);
        for (const listener of this.#listeners) listener(name);
    }
}

/** A record, whose properties are those of its model class. Writes go to `values`; without them it is read-only. */
function record(file, modelClass, id, values = null) {
    const { table } = modelClass;
    const raw = column => (values && column in values ? values[column] : file.rows(table).get(id)?.[column]);
    const set = (column, value) => {
        if (!values) throw new Error('Attempting to set a value outside of create or update');
        values[column] = value;
    };
    const update = async change => {
        values = {};
        change(proxy);
        file.update(table, id, values);
        values = null;
    };
    const methods = { id, update, markAsDeleted: async () => file.remove(table, id) };
    const rule = property => {
        const found = modelClass[`_${String(property)}`];
        assert.ok(found, `${table} has no property ${String(property)}`);
        return found;
    };
    const proxy = new Proxy(methods, {
        get(_, property) {
            if (property in methods || property === 'then') return methods[property];
            const { column, read, isRelation } = rule(property);
            if (!isRelation) return read(raw(column));
            return { get id() { return raw(column); }, set id(value) { set(column, value); } };
        },
        set(_, property, value) {
            const { column, write, isRelation } = rule(property);
            assert.ok(!isRelation, `set the id of ${property}`);
            set(column, write(value));
            return true;
        },
    });
    return proxy;
}
