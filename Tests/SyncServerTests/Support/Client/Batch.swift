import Foundation
import SyncProtocol

/// Documents for uploads.
enum Batch {
    /// An empty batch under a new id.
    static var empty: JSON { ["client_batch_id": .string(UUID().uuidString), "changes": [:]] }
}

extension String {
    var data: Data { Data(utf8) }
}
