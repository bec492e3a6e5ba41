package import Foundation

/// Where an issuer's key set comes from. Reading it is I/O, so whoever composes the server provides it.
package struct KeySource: Sendable {
    /// The operator's name for it, for messages.
    package let name: String
    /// Reads the present JSON Web Key Set (RFC 7517 section 5).
    package let read: @Sendable () async throws -> Data

    package init(name: String, read: @escaping @Sendable () async throws -> Data) {
        self.name = name
        self.read = read
    }
}
