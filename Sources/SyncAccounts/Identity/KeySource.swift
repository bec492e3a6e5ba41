package import Foundation

/// Where an issuer's key set comes from. Reading it is I/O, so that whoever composes the server brings it along.
package struct KeySource: Sendable {
    /// What the operator called it, for messages.
    package let name: String
    /// The JSON Web Key Set (RFC 7517 section 5) as it is now.
    package let read: @Sendable () async throws -> Data

    package init(name: String, read: @escaping @Sendable () async throws -> Data) {
        self.name = name
        self.read = read
    }
}
