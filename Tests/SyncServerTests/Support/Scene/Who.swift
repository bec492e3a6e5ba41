import SyncProtocol
import SyncTestKit

/// Everybody who could send a request about the project `p1`.
enum Who: String, CaseIterable, Sendable {
    case viewer, member, scheduler, admin, owner, superuser
    /// The owner with a token that may only read.
    case readOnly
    /// An owner of another project.
    case outsider
    /// A former admin.
    case exMember
    /// Without a token.
    case anonymous

    /// The role in `p1` by which the rules judge them.
    var role: Role? {
        switch self {
        case .viewer: .viewer
        case .member: .member
        case .scheduler: .scheduler
        case .admin: .admin
        case .owner, .superuser, .readOnly: .owner
        case .outsider, .exMember, .anonymous: nil
        }
    }
}

extension Scene {
    /// A client for each, and the users that they need: a superuser, an owner of `p2`, a former admin.
    func cast(superuser: String = "root") async throws -> [Who: Client] {
        _ = try await otherProject()
        _ = try await bench.user(superuser, isSuperuser: true)
        _ = try await bench.formerMember("former", as: .admin)
        var cast: [Who: Client] = [
            .superuser: try await client(named: superuser), .readOnly: try await client(.owner, isReadOnly: true),
            .outsider: try await client(named: "owner-p2"), .exMember: try await client(named: "former"),
            .anonymous: stranger,
        ]
        for who in Who.allCases where cast[who] == nil { cast[who] = try await client(who.role!) }
        return cast
    }
}
