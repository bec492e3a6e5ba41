import Foundation
import SyncProtocol
import SyncSchema
import SyncStore

/// The numbers of a draft's short ids. They follow the last one of the project's counter,
/// and are drawn from it together with the commit number.
struct ShortIDBlock {
    private var last: Int64?
    private(set) var taken: Int64 = 0

    /// Takes the next `count` numbers, and returns the last of them. `stored` returns the counter's last number.
    mutating func take(_ count: Int64, after stored: () throws -> Int64) rethrows -> Int64 {
        let number = try (last ?? stored()) + count
        last = number
        taken += count
        return number
    }
}
