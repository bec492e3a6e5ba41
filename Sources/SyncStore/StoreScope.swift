/// What a transaction may touch. A store may queue, lock and route by it. A store with a single queue may ignore it.
///
/// A transaction sees its whole scope in one state, and writes with overlapping scopes run one after the other. It may
/// read users and memberships outside its scope. What it reads there is committed, but a second read may return
/// something newer. It must not read or write rows of a project that its scope does not cover.
package enum StoreScope: Sendable, Hashable {
    case project(String)
    /// Several projects. A store that locks them does so in the order of their ids.
    case projects([String])
    /// The project of a row. Which one that is, is known only after the row is read.
    case row(RowKey)
    /// What belongs to one user. For reads only.
    case user(Int64)
    /// All users and their credentials.
    case accounts
    /// All users first, then these projects.
    case accountsAndProjects([String])
    /// Everything: for work on all projects, and for the installation's own settings.
    case installation

    /// Whether the scope includes rows of the project. A row's scope
    /// covers every project, because only the row says which one it is.
    package func covers(_ project: String) -> Bool {
        switch self {
        case .project(let id): id == project
        case .projects(let ids), .accountsAndProjects(let ids): ids.contains(project)
        case .row, .installation: true
        case .user, .accounts: false
        }
    }
}
