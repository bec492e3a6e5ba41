package import SyncProtocol

/// A change of somebody's account: one at a time, so none can be half applied.
package enum AccountChange: Sendable, Equatable {
    case displayName(String)
    case isDisabled(Bool)

    /// Throws `invalid_body`.
    package init(_ body: [String: JSON]) throws {
        guard body.count == 1, let (name, value) = body.first else { throw AccountChange.refusal }
        switch (name, value) {
        case ("display_name", .string(let text)): self = .displayName(text)
        case ("is_disabled", .bool(let isDisabled)): self = .isDisabled(isDisabled)
        default: throw AccountChange.refusal
        }
    }

    private static let refusal = Problem(
        .invalidBody, "The body must have one member: display_name, a string, or is_disabled, true or false.")
}
