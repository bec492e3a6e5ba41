import SyncProtocol

/// A project whose rows the client has to drop.
struct LeftProject: Sendable, Hashable {
    let project: String
    let isDeleted: Bool

    var json: JSON {
        let code: ErrorCode = isDeleted ? .projectDeleted : .membershipRevoked
        return ["project_id": .string(project), "code": .string(code.rawValue)]
    }
}
