package import SyncProtocol

/// What a login and a refresh return.
package struct TokenPair: Sendable, Equatable {
    package let access: String
    package let refresh: String

    package var json: JSON { ["access": .string(access), "refresh": .string(refresh)] }
}
