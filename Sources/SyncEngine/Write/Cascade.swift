package import SyncProtocol
package import SyncSchema
package import SyncStore
import SyncValues

/// Finds and deletes the rows that a delete takes along.
///
/// It goes through the referring fields in drain order, and looks up the referrers of all rows deleted so far at once.
/// References lead from children to parents, so a field has to be looked up again only for rows of its own collection.
/// A tree takes one look-up per level, and everything that hangs on its rows takes one look-up per field. No step is
/// nested in another, so depth costs no stack.
struct Cascade {
    private let draft: Draft
    /// The referring fields, in drain order, each with the collection that it refers to.
    private let steps: [Step]
    /// The deleted rows, by collection.
    private var gone: [String: [JSON]] = [:]
    /// The rows whose delete was asked for.
    private var roots: Set<RowKey> = []
    /// By step: for how many of the rows in `gone` a `cascade` step has looked up the referrers.
    private var asked: [Int]

    private struct Step {
        let target: String
        let referrer: Registry.Referrer
        let onDelete: Field.OnDelete
    }

    /// With `isForced`, nothing is refused except the deletion of a project or a membership. Rows that can't exist
    /// without the deleted row are deleted too.
    init(_ draft: Draft, isForced: Bool = false) {
        self.draft = draft
        let registry = draft.registry
        steps = registry.collections
            .flatMap { target in
                registry.referrers(of: target.name).map {
                    Step(
                        target: target.name, referrer: $0,
                        onDelete: isForced ? Cascade.forced($0, registry) : $0.reference.onDelete)
                }
            }
            .sorted { registry.index(of: $0.referrer.collection)! < registry.index(of: $1.referrer.collection)! }
        asked = steps.map { _ in 0 }
    }

    private static func forced(_ referrer: Registry.Referrer, _ registry: Registry) -> Field.OnDelete {
        if referrer.reference.onDelete == .cascade { return .cascade }
        if referrer.field.value.isNullable || referrer.reference.isList { return .clear }
        return registry[referrer.collection]?.scope == .ordinary ? .cascade : .restrict
    }

    /// Deletes a live row that the caller asked to delete.
    mutating func deleteRoot(_ key: RowKey, _ row: StoredRow) throws {
        roots.insert(key)
        try delete(key, row)
    }

    private mutating func delete(_ key: RowKey, _ row: StoredRow) throws {
        try draft.markDeleted(key, stored: row)
        gone[key.collection, default: []].append(.string(key.id))
    }

    /// Deletes the rows that refer to a deleted row by a `cascade` reference,
    /// then those that refer to these, down to the last.
    mutating func spread() throws {
        while let index = steps.indices.first(where: { isDue($0) }) {
            let step = steps[index]
            let new = Array((gone[step.target] ?? []).dropFirst(asked[index]))
            asked[index] += new.count
            for row in try referrers(step, of: new) { try delete(RowKey(step.referrer.collection, row.id), row) }
        }
    }

    private func isDue(_ index: Int) -> Bool {
        steps[index].onDelete == .cascade && asked[index] < gone[steps[index].target]?.count ?? 0
    }

    /// Removes the deleted rows from `clear` references of rows that
    /// stay: the field becomes null, or the list loses them.
    func clearReferences() throws {
        for step in steps where step.onDelete == .clear {
            guard let ids = gone[step.target] else { continue }
            let collection = draft.registry.collection(step.referrer.collection)
            let position = collection.position(of: step.referrer.field)
            let dead = Set(ids)
            for row in try referrers(step, of: ids) {
                try draft.update(RowKey(collection.name, row.id), stored: row) { values in
                    values[position] = values[position].array.map { .array($0.filter { !dead.contains($0) }) } ?? .null
                }
            }
        }
    }

    /// The roots that can't be deleted, each with the reason: by a `restrict` reference, a row that stays refers to the
    /// root or to a row that it takes along.
    func restrictedRoots() throws -> [RowKey: Violation] {
        var blame = Blame(draft.registry, gone)
        for step in steps where step.onDelete == .restrict {
            guard let ids = gone[step.target] else { continue }
            let position = draft.registry.collection(step.referrer.collection).position(of: step.referrer.field)
            for row in try referrers(step, of: ids) {
                guard let id = row.values[position].string else { continue }
                let target = RowKey(step.target, id)
                try blame.put(problem(target, usedBy: row, step), on: target) { try draft.record($0) }
            }
        }
        return blame.problems.filter { roots.contains($0.key) }
    }

    /// The row that stays is named only if the caller may see it.
    private func problem(_ target: RowKey, usedBy row: StoredRow, _ step: Step) throws -> Violation {
        let collection = draft.registry.collection(step.referrer.collection)
        let isSeen = try draft.access?.sees(row, in: collection, draft.registry, from: draft) ?? true
        let user = isSeen ? "\(collection.name) \(row.id)" : "a row of \(collection.name)"
        return Violation(nil, .inUse, detail: "\(target.collection) \(target.id) is in use by \(user).")
    }

    /// Live rows that refer to one of the ids.
    private func referrers(_ step: Step, of ids: [JSON]) throws -> [StoredRow] {
        try draft.liveRecords(
            in: draft.registry.collection(step.referrer.collection), where: step.referrer.field, holdsAny: ids)
    }
}

/// Finds the deleted rows that took a row along: all that its `cascade` references lead up to.
private struct Blame {
    private let registry: Registry
    private let gone: Set<RowKey>
    /// The first problem of each row that is to blame.
    private(set) var problems: [RowKey: Violation] = [:]

    init(_ registry: Registry, _ gone: [String: [JSON]]) {
        self.registry = registry
        self.gone = Set(gone.flatMap { name, ids in ids.compactMap(\.string).map { RowKey(name, $0) } })
    }

    /// Goes up from `target`. Rows that already have a problem are not walked again.
    mutating func put(
        _ problem: Violation, on target: RowKey, record: (RowKey) throws -> StoredRow?
    ) throws {
        var open = [target]
        while let key = open.popLast() {
            guard problems[key] == nil, gone.contains(key) else { continue }
            problems[key] = problem
            guard let row = try record(key), let collection = registry[key.collection] else { continue }
            for position in collection.places.cascading {
                guard let parent = collection.fields[position].reference?.collection,
                    let id = row.values[position].string
                else { continue }
                open.append(RowKey(parent, id))
            }
        }
    }
}

/// Repairs dead references through drafts, so clients receive the changes.
package struct DraftMender: RowMender {
    package init() {}

    package func mend(
        _ dead: [DeadReference], delivering again: [RowKey], of project: String, _ registry: Registry, author: Int64,
        at now: Instant, in transaction: any WriteTransaction
    ) throws -> Mending {
        let draft = Draft(transaction, registry, project: project, author: author, now: now)
        for key in again { try draft.restamp(key) }
        try draft.mend(dead)
        let mending = draft.mending
        _ = try draft.commit()
        return mending
    }
}

extension Draft {
    /// Removes dead references when a schema turns existing fields into references: the field becomes null, or the list
    /// loses them. If neither is possible, the row is deleted with its cascade.
    ///
    /// Throws `in_use` if that row is a project or a membership.
    fileprivate func mend(_ references: [DeadReference]) throws {
        var doomed: [RowKey] = []
        for reference in references {
            guard let collection = registry[reference.key.collection], let field = collection.field(reference.field),
                let row = try liveRecord(reference.key)
            else { continue }
            let value = row.values[collection.position(of: field)]
            if let elements = value.array {
                try set(field, of: reference.key, to: .array(try sound(elements, in: field)))
            } else if field.value.isNullable {
                try set(field, of: reference.key, to: .null)
            } else {
                try refuseAccessRow(collection, reference)
                doomed.append(reference.key)
            }
        }
        try deleteByForce(doomed)
    }

    /// The elements that refer to something live, each once.
    private func sound(_ elements: [JSON], in field: Field) throws -> [JSON] {
        var seen: Set<JSON> = []
        return try elements.filter { try seen.insert($0).inserted && state(of: $0, in: field, for: nil) == .sound }
    }

    /// What the draft has changed.
    fileprivate var mending: Mending {
        entries.values.reduce(into: Mending()) { mending, entry in
            if entry.becameDeleted {
                mending.deleted += 1
            } else if entry.contentChanged {
                mending.changed += 1
            }
        }
    }

    private func refuseAccessRow(_ collection: Collection, _ reference: DeadReference) throws {
        guard collection.scope == .ordinary else {
            throw Problem(
                .inUse, "\(reference.key.collection) \(reference.key.id) refers to nothing live in \(reference.field).")
        }
    }

    private func deleteByForce(_ keys: [RowKey]) throws {
        var cascade = Cascade(self, isForced: true)
        for key in keys {
            if let row = try liveRecord(key) { try cascade.deleteRoot(key, row) }
        }
        try cascade.spread()
        try cascade.clearReferences()
        if let problem = try cascade.restrictedRoots().values.first { throw Problem(problem.code, problem.detail) }
    }
}
