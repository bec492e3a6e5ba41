import Foundation
import SyncProtocol

/// Documents for uploads.
enum Batch {
    /// A batch of nothing under a fresh id.
    static var empty: JSON { ["client_batch_id": .string(UUID().uuidString), "changes": [:]] }
}

extension String {
    var data: Data { Data(utf8) }
}
