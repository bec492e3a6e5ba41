import SyncProtocol

/// What a transaction is about. A store may queue, lock and route by it; one that has a single queue ignores it.
///
/// A transaction sees all of its scope in one state, and writes of one scope run one after the other. It may read users
/// and memberships outside of its scope: what it finds there is committed, but may be newer at a second look. It must
/// not read or write rows of a project that the scope does not cover.
package enum StoreScope: Sendable, Hashable {
    case project(String)
    /// Several projects. A store locks them in the order of their ids.
    case projects([String])
    /// The project of a row, which is not known before the row is read.
    case row(RowKey)
    /// What belongs to one user: reads alone.
    case user(Int64)
    /// All users with their credentials.
    case accounts
    /// All users first, then these projects.
    case accountsAndProjects([String])
    /// Everything: for what goes through all projects, and for the installation's own settings.
    case installation

    /// Whether rows of the project are in it. A row's scope covers every project: which one, the row says.
    package func covers(_ project: String) -> Bool {
        switch self {
        case .project(let id): id == project
        case .projects(let ids), .accountsAndProjects(let ids): ids.contains(project)
        case .row, .installation: true
        case .user, .accounts: false
        }
    }
}
