import SyncProtocol
import SyncSchema

/// How far the creation of a project has got.
package enum CreationProgress: Sendable, Equatable {
    case judged(rows: Int, of: Int)
    case stored(rows: Int, of: Int)
}
