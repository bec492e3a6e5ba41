package import SyncProtocol

/// A value and when it was learned. Of two, the one that was learned later counts.
package struct Dated<Value: Sendable & Equatable>: Sendable, Equatable {
    package let value: Value
    package let at: Instant

    package init(_ value: Value, at: Instant) { (self.value, self.at) = (value, at) }
}

extension Optional {
    /// Takes `other` over if it is not older.
    mutating func merge<Value>(_ other: Dated<Value>?) where Wrapped == Dated<Value> {
        guard let other else { return }
        if let own = self, own.at > other.at { return }
        self = other
    }
}
