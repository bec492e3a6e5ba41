import Foundation

/// Makes the ids of rows that the server creates. Injected, so tests can predict them.
package struct NewID: Sendable {
    private let make: @Sendable () -> String

    package init(_ make: @escaping @Sendable () -> String) { self.make = make }

    package func callAsFunction() -> String { make() }

    /// Random UUIDs in lower case.
    package static let uuid = NewID { UUID().uuidString.lowercased() }
}
