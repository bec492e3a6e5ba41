import { Bases } from './bases.js';
import { Files } from './files/files.js';
import { CollectionFilter } from './filter.js';
import { Outbox } from './outbox.js';
import { Owner } from './owner.js';
import { Coverage } from './part/coverage.js';
import { NamedParts } from './part/named-parts.js';
import { Pull } from './pull.js';
import { Push } from './push.js';
import { Schemas } from './schemas.js';
import { Withheld } from './withheld.js';

/** What works in one scope: what it keeps in the app's storage, and what sends requests to its endpoint. */
export class Parts {
    constructor(scope, {
        transport, storage, collections = null, uploadable = null, deviceId = null, localColumns = {},
        onConflict = 'overwrite', onError = 'repair', pageSize = null, batchRows = 500, turboTimeout = 600000,
        onProgress = null, onReport = null, onLeft = null, now, fileStore, fileCacheBytes, keep, signal,
    }) {
        this.scope = scope;
        this.owner = new Owner(transport, storage, scope);
        this.schemas = new Schemas(transport, scope, this.owner, storage);
        this.filter = new CollectionFilter(collections, storage, `${scope.prefix}collections`);
        this.coverage = new Coverage(storage, scope.prefix);
        this.named = new NamedParts({ storage, scope, schemas: this.schemas, coverage: this.coverage, now });
        this.files = new Files({ ...this, transport, storage, fileStore, fileCacheBytes, keep, signal, now });
        this.outbox = new Outbox(storage, scope.prefix);
        this.withheld = new Withheld(storage, scope.prefix);
        this.bases = new Bases(storage, scope.prefix, this.withheld);
        const modes = { encoding: 'watermelondb', on_conflict: onConflict, on_error: onError };
        if (deviceId) modes.device_id = deviceId;
        this.pull = new Pull({ ...this, transport, pageSize, turboTimeout, onProgress, onLeft });
        this.push = new Push({
            ...this, transport, uploadable, localColumns, batchRows, modes, onProgress, onReport,
        });
    }

    /** Removes everything of this scope from the storage, but for the id of the device. */
    async forget() {
        await this.outbox.clear();
        await this.withheld.forget();
        await this.bases.forget();
        await this.filter.forget();
        await this.named.forget();
        await this.coverage.forget();
        await this.schemas.drop();
        await this.files.forget();
        await this.owner.forget();
    }
}
