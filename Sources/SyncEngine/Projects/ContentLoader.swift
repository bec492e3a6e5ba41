import SyncProtocol
import SyncSchema

/// Puts a new project's content into its draft, under the same rules as every other write.
struct ContentLoader {
    let draft: Draft
    let content: ProjectContent
    let newID: NewID

    func load() throws {
        try insertMemberships()
        try loadRows()
    }

    /// The rows alone, in a project that is there.
    func loadRows() throws {
        var problems: [RowProblem] = []
        for collection in draft.registry.collections { problems += try insert(collection) }
        guard problems.isEmpty else { throw refusal(problems) }
        for collection in draft.registry.collections { problems += try check(collection) }
        guard problems.isEmpty else { throw refusal(problems) }
    }

    private func insertMemberships() throws {
        let memberships = draft.registry.memberships
        let edit = RowEdit(collection: memberships, role: nil, userID: content.owner)
        let members = content.members.subtracting([content.owner]).sorted().map { ($0, Role.member) }
        for (user, role) in [(content.owner, Role.owner)] + members {
            let values = try edit.inserted(["user": .int(user), "role": .int(Int64(role.rawValue))]).get().values
            try draft.insert(RowKey(memberships.name, newID()), values: values)
        }
    }

    private func insert(_ collection: Collection) throws -> [RowProblem] {
        let edit = RowEdit(collection: collection, role: nil, userID: content.owner)
        var problems: [RowProblem] = []
        for (index, row) in (content.rows[collection.name] ?? []).enumerated() {
            let place = Place(collection: collection.name, index: index, id: row["id"]?.string)
            guard let id = place.id, RowID.isValid(id) else {
                problems.append(place.problem(FieldProblem("id", .invalidID, "The row has no valid id.")))
                continue
            }
            let key = RowKey(collection.name, id)
            guard try draft.record(key) == nil else {
                problems.append(place.problem(FieldProblem("id", .idUnavailable, "The id can't be used.")))
                continue
            }
            switch edit.inserted(row) {
            case .success(let row): try draft.insert(key, values: row.values)
            case .failure(let failure): problems += failure.list.map(place.problem)
            }
        }
        return problems
    }

    private func check(_ collection: Collection) throws -> [RowProblem] {
        var problems: [RowProblem] = []
        for (index, row) in (content.rows[collection.name] ?? []).enumerated() {
            let place = Place(collection: collection.name, index: index, id: row["id"]?.string)
            do {
                let key = RowKey(collection.name, place.id ?? "")
                if let problem = try draft.unsoundReference(of: key) { throw problem }
                try draft.check(key)
            } catch let problem as FieldProblem {
                problems.append(place.problem(problem))
            }
        }
        return problems
    }

    private func refusal(_ problems: [RowProblem]) -> Problem {
        Problem(
            problems.allSatisfy { $0.code == .idUnavailable } ? .idUnavailable : .invalidRows,
            "\(problems.count) problem(s), nothing was stored. First: \(problems[0].collection) \(problems[0].id ?? ""): "
                + problems[0].detail, errors: Array(problems.prefix(100)))
    }

    private struct Place {
        let collection: String
        let index: Int
        let id: String?

        func problem(_ problem: FieldProblem) -> RowProblem {
            RowProblem(problem, at: "/\(collection)/\(index)", collection: collection, id: id)
        }
    }
}
