import Foundation
import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

/// Judges the rows of a draft by their final state: references, trees, rules and unique keys.
struct DraftChecks {
    let draft: Draft

    /// The problem of the first changed reference of a drafted row that points to something not live in this project,
    /// as far as the author may know. Something deleted looks like something that never existed. Nil if all are sound.
    func unsoundReference(of key: RowKey) throws -> Violation? {
        guard let entry = draft.entries[key], let collection = draft.registry[key.collection] else { return nil }
        for position in collection.places.lookedUp where !collection.fields[position].isServerOwned {
            let field = collection.fields[position]
            let value = entry.current.values[position]
            let former = entry.original?.values[position] ?? .null
            guard former != value else { continue }
            // Who has left may stay in a list that gets others.
            let kept = field.user == .keep ? Set(former.array ?? []) : []
            for element in value.array ?? [value]
            where try !kept.contains(element) && draft.state(of: element, in: field, for: draft.access) != .sound {
                return .unsound(field, element)
            }
        }
        return nil
    }

    /// Judges the delete of a row that was named, not taken along by a cascade. Called once everything is deleted.
    func checkDelete(_ key: RowKey) throws {
        let collection = draft.registry.collection(key.collection)
        guard let record = draft.entries[key]?.current else { return }
        for name in collection.rules {
            try name.rule.checkDelete(RuleSubject(record: record, collection: collection, draft: draft))
        }
    }

    /// Judges the final state of a live row that was inserted or changed:
    /// tree, rules, unique keys. Throws a `Violation`.
    func check(_ key: RowKey) throws {
        try checkRules(key)
        try checkKeys(key)
    }

    /// Judges the tree and the rules.
    func checkRules(_ key: RowKey) throws {
        let collection = draft.registry.collection(key.collection)
        guard let record = try draft.liveRecord(key) else { return }
        try checkAncestry(record, collection)
        try draft.checkMove(record, collection)
        for name in collection.rules {
            try name.rule.check(RuleSubject(record: record, collection: collection, draft: draft))
        }
    }

    /// Throws if the row is its own ancestor through a cascade reference to its own collection. Rows known to hang
    /// below a root or a cycle are not walked again, and a new row without children is not walked at all.
    private func checkAncestry(_ record: StoredRow, _ collection: Collection) throws {
        for position in collection.places.trees {
            let field = collection.fields[position]
            let isNew = draft.entries[RowKey(collection.name, record.id)]?.isNew ?? false
            if isNew, !draft.isReferred(record.id, by: field, of: collection) { continue }
            let name = "\(collection.name).\(field.name)"
            var path: Set<String> = [record.id]
            var parent = record.values[position].string
            while let id = parent, draft.memory.sound[name]?.contains(id) != true {
                guard draft.memory.cyclic[name]?.contains(id) != true, path.insert(id).inserted else {
                    draft.memory.cyclic[name, default: []].formUnion(path)
                    throw Violation(
                        field.name, .cyclicParent, detail: "\(field.name) would make the row its own ancestor.")
                }
                parent = try draft.record(RowKey(collection.name, id))?.values[position].string
            }
            draft.memory.sound[name, default: []].formUnion(path)
        }
    }

    /// Judges the unique keys. Of several rows that want one key, one stands: the one that has it already, otherwise
    /// the one with the smallest id.
    func checkKeys(_ key: RowKey) throws {
        let collection = draft.registry.collection(key.collection)
        guard let record = try draft.liveRecord(key) else { return }
        for unique in collection.uniqueKeys {
            guard let values = collection.values(of: unique, in: record) else { continue }
            let owner = try owner(of: unique, values, in: collection) ?? record
            guard owner.id != record.id else { continue }
            let isSeen = try draft.access?.sees(owner, in: collection, draft.registry, from: draft) ?? true
            throw Violation.notUnique(unique, existing: isSeen ? owner.id : nil)
        }
    }

    /// The row that stands of all that want the key. However many want it, it is looked for once.
    private func owner(
        of key: Collection.UniqueKey, _ values: [JSON], in collection: Collection
    ) throws -> StoredRow? {
        let index = DraftIndexKey(collection.name, name: key.name, value: .array(values))
        if let known = draft.memory.owners[index] { return known }
        let owner = try draft.liveRecords(in: collection, with: key, values: values).min { first, second in
            let one = isNewOwner(first, of: key, collection)
            let two = isNewOwner(second, of: key, collection)
            return one == two ? first.id < second.id : two
        }
        draft.memory.owners[index] = owner
        return owner
    }

    /// Whether the row gets the key's values from this draft.
    private func isNewOwner(_ row: StoredRow, of key: Collection.UniqueKey, _ collection: Collection) -> Bool {
        guard let entry = draft.entries[RowKey(collection.name, row.id)] else { return false }
        guard let original = entry.original, !original.isDeleted else { return true }
        return collection.values(of: key, in: original) != collection.values(of: key, in: row)
    }
}

extension Violation {
    /// Another live row has the key. `existing` is its id, if the caller may know it.
    static func notUnique(_ key: Collection.UniqueKey, existing: String?) -> Violation {
        var violation = Violation(
            key.fields.last, .notUnique, detail: "Another row already has this \(key.fields.joined(separator: ", ")).")
        violation.existing = existing
        return violation
    }

    /// The field names something that is not in this project.
    static func unsound(_ field: Field, _ value: JSON) -> Violation {
        Violation(
            field.name, field.user == nil ? .unknownReference : .unknownUser,
            detail: "\(field.name) refers to \(value.text), which is not in this project.")
    }
}

extension Draft {
    var checks: DraftChecks { DraftChecks(draft: self) }
}

extension Draft {
    /// The value of a server-owned field of a new row.
    func serverValue(_ field: Field, in collection: Collection, values: [JSON]) throws -> JSON {
        switch field.serverValue {
        case .project: .string(project)
        case .caller: .int(author)
        case .createdAt, .updatedAt: .string(now.text)
        case .shortID: .string(ShortID.text(try takeShortIDs(1)))
        case .displayName: .string(try displayName(collection, values))
        case .linkProvider:
            .string(LinkProvider.name(of: collection.position("url").flatMap { values[$0].string } ?? ""))
        case .acceptedAt, .declinedAt, nil: field.fallback
        }
    }

    /// Updates the server-owned values that follow a change of content.
    func refreshServerValues(of key: RowKey, _ record: inout StoredRow) {
        let collection = registry.collection(key.collection)
        for position in collection.places.serverValued {
            switch collection.fields[position].serverValue {
            case .updatedAt: record.values[position] = .string(now.text)
            case .linkProvider:
                let url = collection.position("url").flatMap { record.values[$0].string } ?? ""
                record.values[position] = .string(LinkProvider.name(of: url))
            case .acceptedAt: keepMoment(at: position, of: "accepted", in: &record, collection)
            case .declinedAt: keepMoment(at: position, of: "declined", in: &record, collection)
            default: break
            }
        }
    }

    /// Keeps the time at which the field `state` took this value; null while it has another.
    private func keepMoment(at position: Int, of state: JSON, in record: inout StoredRow, _ collection: Collection) {
        let isThere = collection.position("state").map { record.values[$0] == state } ?? false
        guard isThere != !record.values[position].isNull else { return }
        record.values[position] = isThere ? .string(now.text) : .null
    }

    /// Takes the next `count` numbers for short ids, and returns the last of them.
    @discardableResult
    func takeShortIDs(_ count: Int64) throws -> Int64 {
        try shortIDs.take(count) { try projectState().lastShortID }
    }

    private func displayName(_ collection: Collection, _ values: [JSON]) throws -> String {
        guard let user = collection.position("user").flatMap({ values[$0].int }) else { return "" }
        return try reads.user(id: user)?.displayName ?? ""
    }
}

/// The kind of site that a link leads to.
enum LinkProvider {
    private static let known = [
        "github.com": "github", "gitlab.com": "gitlab", "bitbucket.org": "bitbucket", "docs.google.com": "google_docs",
        "drive.google.com": "google_drive", "figma.com": "figma", "atlassian.net": "atlassian",
        "dropbox.com": "dropbox", "sharepoint.com": "sharepoint",
    ]

    /// The provider's name, by the host or one of its parent domains; `generic` if unknown.
    static func name(of url: String) -> String {
        guard let host = URL(string: url)?.host()?.lowercased() else { return "generic" }
        return known.first { host == $0.key || host.hasSuffix("." + $0.key) }?.value ?? "generic"
    }
}

/// The short ids of tasks, sprints and risks, made to be read aloud:
/// 8 hex digits in upper case, from one counter per project.
enum ShortID {
    /// Nil if the text is not a short id, or is one so large that too few would be left after it.
    static func number(_ text: String) -> Int64? {
        guard text.utf8.count <= 8, text.utf8.allSatisfy(\.isASCIIAlphanumeric) else { return nil }
        return Int64(text, radix: 16).flatMap { $0 <= Int32.max ? $0 : nil }
    }

    static func text(_ number: Int64) -> String {
        let hex = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 8 - hex.count)) + hex
    }
}
