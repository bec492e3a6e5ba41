import SyncStore
import SyncStoreSQL

/// A write in a queue, with what the store has to know before it runs.
struct Member: Sendable {
    let write: any WaitingWrite<Session>
    let scope: StoreScope
    let needs: @Sendable () -> Needs
}
