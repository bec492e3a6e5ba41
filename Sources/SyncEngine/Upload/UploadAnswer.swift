import SyncSchema
import SyncStore

/// The answer to a batch.
package struct UploadAnswer: Sendable, Equatable {
    /// The JSON document.
    package let body: String
    /// Whether this is the stored answer to an earlier request with the
    /// same id and body. Then nothing was applied this time.
    package let isReplay: Bool
    /// All zero for a replay.
    package var counts = UploadCounts()
    /// The projects of a batch over several projects whose rows were judged. Empty for a replay.
    package var projects: [String] = []
}
