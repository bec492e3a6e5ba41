package import SyncProtocol
import SyncSchema
import SyncStore

/// Cuts the values of one question into chunks of a few sizes, so that a few statements, prepared once, answer for any
/// number of values.
package enum ValueChunks {
    package static let sizes = [1, 16, 256]
    package static let largest = 256

    /// The last chunk is filled up with its last value: asking for a value twice finds a row once.
    package static func of(_ values: [JSON]) -> [[JSON]] {
        stride(from: 0, to: values.count, by: largest).map { start in
            let chunk = values[start..<min(start + largest, values.count)]
            let size = sizes.first { $0 >= chunk.count } ?? largest
            return chunk + Array(repeating: chunk.last ?? .null, count: size - chunk.count)
        }
    }
}
