import SyncProtocol

/// What somebody may do with the rows of a collection, written from what the schema page says. The rows are by `author`
/// and have been handed over since: claims to the listed viewer, inspections to both who are listed.
struct MatrixRules {
    let collection: MatrixCollection
    let caller: MatrixCaller

    // MARK: Who sees a row

    var sees: Bool {
        guard let role = caller.role else { return false }
        return switch collection {
        case .diaries: caller == .author
        case .claims: caller == .listedViewer || role >= .admin
        case .letters, .pages, .lines: caller == .author || caller.isListed
        case .inspections, .findings, .photos: caller.isListed || role >= .admin
        case .plans, .steps, .marks: role >= .member
        case .notices: true
        }
    }

    /// Whether the rows were handed over, or hidden by the fall of a role, after the caller had them.
    var sawThem: Bool { caller == .author && !sees }

    /// Whether they were the caller's own or listed for the caller, at first.
    private var wasListed: Bool {
        switch collection {
        case .claims, .inspections, .findings, .photos: sawThem
        case .diaries, .letters, .pages, .lines, .plans, .steps, .marks, .notices: false
        }
    }

    // MARK: Who changes a row

    private func may(_ change: String, from least: Role) -> Bool {
        guard let role = caller.role, sees else { return false }
        let rights = collection.rights
        let isNamed = caller.isListed || collection == .letters && caller == .author
        return role >= least || caller == .author && rights.author.contains(change)
            || isNamed && rights.listed.contains(change)
    }

    /// `done`, or the code with which a write is refused or skipped.
    func verdict(_ verb: MatrixVerb, _ way: MatrixWay) -> String {
        guard let role = caller.role else { return way == .rest && verb != .create ? "not_found" : "not_a_member" }
        let rights = collection.rights
        switch verb {
        case .create:
            guard role >= rights.create else { return "forbidden" }
            return collection.above == nil || sees ? "done" : "unknown_reference"
        case _ where !sees: return hidden(verb, way)
        case .read: return "done"
        case .change: return may("update", from: rights.update) ? "done" : "forbidden"
        case .seal:
            guard may("update", from: rights.update) else { return "forbidden" }
            return role >= .admin ? "done" : "field_forbidden"
        case .delete: return may("delete", from: rights.delete) ? "done" : "forbidden"
        }
    }

    private func hidden(_ verb: MatrixVerb, _ way: MatrixWay) -> String {
        guard way != .rest, verb != .delete else { return "not_found" }
        return wasListed ? "deleted" : "id_unavailable"
    }

    /// A row that must get the same answer; for a create, one that is referred to. Nil if the verdict says more.
    func twin(_ verb: MatrixVerb, _ way: MatrixWay) -> MatrixTwin? {
        switch verdict(verb, way) {
        case "not_found", "unknown_reference": .never
        // Under an id that never was, whoever may create rows would make one.
        case "id_unavailable": caller.role.map { $0 >= collection.rights.create } ?? false ? .elsewhere : .never
        default: nil
        }
    }
}

/// Everybody who sends requests.
enum MatrixCaller: String, CaseIterable, Sendable {
    case owner, admin, listedMember, member, listedViewer, viewer
    /// Who made the rows, as a member, and is a viewer now.
    case author
    /// An owner of another project.
    case outsider
    /// A member of no project.
    case superuser

    /// The role that counts.
    var role: Role? {
        switch self {
        case .owner, .superuser: .owner
        case .admin: .admin
        case .listedMember, .member: .member
        case .listedViewer, .viewer, .author: .viewer
        case .outsider: nil
        }
    }

    /// Whether letters and inspections name them.
    var isListed: Bool { self == .listedMember || self == .listedViewer }
}

/// What is done with a row. `seal` changes a field with an `x-role`.
enum MatrixVerb: String, CaseIterable, Sendable {
    case read, change, seal, delete, create
}

/// How: over REST, or in an upload in one of these modes of errors.
enum MatrixWay: String, CaseIterable, Sendable {
    case rest
    case batch = "reject_batch"
    case rows = "reject_rows"
}

/// What a row that is hidden must look like.
enum MatrixTwin: Sendable {
    /// One that never existed.
    case never
    /// One of another project.
    case elsewhere
}
