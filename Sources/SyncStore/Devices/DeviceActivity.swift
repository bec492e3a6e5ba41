package import SyncProtocol

/// What a device did in one project, or altogether.
package struct DeviceActivity: Sendable, Equatable {
    /// The result of a device's comparison of its rows with the server's digest.
    package enum Comparison: String, Sendable, CaseIterable {
        case same, differs
    }

    package private(set) var firstSeen: Instant
    package private(set) var lastSeen: Instant
    package private(set) var lastUpload: Instant?
    /// The watermark that the device presented last. It has stored what the watermark stands for.
    package private(set) var watermark: Dated<Int64>?
    /// The `timestamp` of the last drain that was sent to its end. The device may not have received it.
    package private(set) var sent: Dated<Int64>?
    /// The code of the last refusal.
    package private(set) var lastError: Dated<String>?
    package private(set) var comparison: Dated<Comparison>?

    package init(
        firstSeen: Instant, lastSeen: Instant, lastUpload: Instant? = nil, watermark: Dated<Int64>? = nil,
        sent: Dated<Int64>? = nil, lastError: Dated<String>? = nil, comparison: Dated<Comparison>? = nil
    ) {
        (self.firstSeen, self.lastSeen, self.lastUpload) = (firstSeen, lastSeen, lastUpload)
        (self.watermark, self.sent, self.lastError) = (watermark, sent, lastError)
        self.comparison = comparison
    }

    /// Adds what somebody else knows of the same activity: the later of each value counts.
    package mutating func merge(_ other: DeviceActivity) {
        firstSeen = min(firstSeen, other.firstSeen)
        lastSeen = max(lastSeen, other.lastSeen)
        lastUpload = [lastUpload, other.lastUpload].compactMap(\.self).max()
        watermark.merge(other.watermark)
        sent.merge(other.sent)
        lastError.merge(other.lastError)
        comparison.merge(other.comparison)
    }
}
