import SyncProtocol
import SyncStore

struct ModelInboxEntry: Sendable {
    let project: String
    let entry: InboxEntry
}
