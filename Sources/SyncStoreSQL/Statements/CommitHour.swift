package import SyncProtocol

/// The hour of an instant, in hours since 1970.
package enum CommitHour {
    package static func of(_ date: Instant) -> Int64 {
        Int64((Double(date.milliseconds) / 3_600_000).rounded(.down))
    }
}
