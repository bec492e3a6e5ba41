import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// What a batch was answered.
package struct UploadAnswer: Sendable, Equatable {
    /// The JSON document.
    package let body: String
    /// The stored answer of an earlier request with the same id and body; nothing was applied this time.
    package let isReplay: Bool
    /// Of a replay nothing.
    package var counts = UploadCounts()
}
