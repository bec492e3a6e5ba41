import Foundation

/// Where ids of rows that the server makes come from; injected, so that tests can foresee them.
public struct NewID: Sendable {
    private let make: @Sendable () -> String

    public init(_ make: @escaping @Sendable () -> String) { self.make = make }

    public func callAsFunction() -> String { make() }

    /// Random UUIDs in lower case.
    public static let uuid = NewID { UUID().uuidString.lowercased() }
}
