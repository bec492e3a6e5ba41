package import SyncProtocol

/// Splits the values of one query into chunks of a few sizes. So a few prepared statements serve any number of values.
package enum ValueChunks {
    package static let sizes = [1, 16, 256]
    package static let largest = 256

    /// The chunks, each of one of the `sizes`. The last chunk is
    /// filled up with its last value, which finds no row twice.
    package static func of(_ values: [JSON]) -> [[JSON]] {
        stride(from: 0, to: values.count, by: largest).map { start in
            let chunk = values[start..<min(start + largest, values.count)]
            let size = sizes.first { $0 >= chunk.count } ?? largest
            return chunk + Array(repeating: chunk.last ?? .null, count: size - chunk.count)
        }
    }
}
