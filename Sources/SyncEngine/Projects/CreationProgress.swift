import SyncProtocol
import SyncSchema
import SyncStore

/// How far the creation of a project is.
package enum CreationProgress: Sendable, Equatable {
    case judged(rows: Int, of: Int)
    case stored(rows: Int, of: Int)
}
