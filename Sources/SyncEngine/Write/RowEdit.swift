package import SyncProtocol
package import SyncSchema
import SyncStore
import SyncValues

extension RowProblem {
    /// A problem of the row at `pointer`.
    init(_ problem: Violation, at pointer: String, collection: String, id: String?) {
        self.init(
            pointer: pointer + problem.pointer, collection: collection, id: id, field: problem.field,
            code: problem.code, detail: problem.detail)
        members["existing"] = problem.existing.map(JSON.string)
    }
}

/// Turns what a client sent for a row into values, by the schema and the caller's role. Uploads, REST and imports share
/// this code path. A field is judged only if its value changes, so a row can be sent back whole, as it was pulled.
struct RowEdit {
    let collection: Collection
    /// Nil for the server's own writes, which may write every field that clients can.
    let role: Role?
    let userID: Int64
    /// The encoding in whose terms mistakes are described. The values themselves are in normal form.
    var encoding = WireEncoding.json
    /// Whether slightly wrong values are repaired instead of refused.
    var repairs = false
    /// Halves of surrogate pairs in the sent values, by field; see `MendedJSON`.
    var halves: [String: MendedJSON.Half] = [:]
    /// Whether values for fields that are set once, and are set, are left out instead of refused.
    var skipsSetFields = false
    /// Whether texts above the limit for texts without a `maxLength` are accepted: an export may have them.
    var keepsLongTexts = false
    /// What was found out of the sent values before.
    var judged = JudgedValues.none

    /// The values of a new row: what was sent, else the schema's defaults.
    func inserted(_ sent: [String: JSON]) -> Result<RowValues, Violations> {
        var problems = changes(sent, of: collection.places.fallbacks, isNew: true)
        for field in collection.places.required.map({ collection.fields[$0] })
        where sent[field.name].map({ isUnset($0, field) }) ?? true {
            problems.list.append(.missing(field.name))
        }
        return problems.result
    }

    /// The values of a row after a patch: absent fields keep their value.
    func updated(_ sent: [String: JSON], of record: StoredRow) -> Result<RowValues, Violations> {
        changes(sent, of: record.values, isNew: false).result
    }

    /// The problems of sent fields that no client can write. REST refuses them. An upload ignores them.
    func foreignFields(_ sent: [String: JSON]) -> [Violation] {
        sent.keys.sorted().compactMap { name in
            if ["id", "server_version"].contains(name) { return .fixedField(name) }
            guard let field = collection.field(name) else { return .unknownField(name, of: collection.name) }
            return field.isServerOwned ? .readOnlyField(name) : nil
        }
    }

    private func changes(_ sent: [String: JSON], of old: [JSON], isNew: Bool) -> Changes {
        var changes = Changes(row: RowValues(values: old))
        for (position, value) in sent.compactMap(placed).sorted(by: { $0.position < $1.position }) {
            let field = collection.fields[position]
            guard !field.isServerOwned else {
                if value != old[position] { changes.row.isAltered = true }
                continue
            }
            let half = halves[field.name]
            guard value != old[position] || half != nil || field.isRequired && isNew else {
                if !isNew { changes.row.unchanged.append(field.name) }
                continue
            }
            guard !isUnset(value, field) else {
                changes.row.isAltered = true
                continue
            }
            do {
                let normal =
                    mayStayLong(value, field, was: old[position])
                    ? value : try normalized(value, half: half, field: field, isNew: isNew, done: &changes.row.repairs)
                if half != nil || normal != value { changes.row.isAltered = true }
                guard normal != old[position] else {
                    if !isNew { changes.row.unchanged.append(field.name) }
                    continue
                }
                try checkRole(field, old, isNew: isNew)
                guard try maySet(field, was: old[position], isNew: isNew) else {
                    changes.row.skipped.append(field.name)
                    changes.row.isAltered = true
                    continue
                }
                changes.row.values[position] = normal
            } catch {
                changes.list.append(error)
            }
        }
        return changes
    }

    /// Nil if the member is not a field.
    private func placed(_ member: (key: String, value: JSON)) -> (position: Int, value: JSON)? {
        collection.position(member.key).map { ($0, member.value) }
    }

    /// Whether a list or an object is the text that WatermelonDB has for a column that
    /// nobody set. It is not JSON, and a repair ignores it.
    private func isUnset(_ value: JSON, _ field: Field) -> Bool {
        repairs && field.value.isStructured && encoding == .watermelondb && value == ""
    }

    /// Whether a text above the limit for texts without a `maxLength` is accepted.
    private func mayStayLong(_ value: JSON, _ field: Field, was old: JSON) -> Bool {
        keepsLongTexts ? field.value.isTooLongOnly(value) : field.value.isOnlyShortened(value, from: old)
    }

    /// A text with half a surrogate pair counts as repaired, since it was read with U+FFFD.
    private func normalized(
        _ value: JSON, half: MendedJSON.Half?, field: Field, isNew: Bool, done: inout [RowValues.Repair]
    ) throws(Violation) -> JSON {
        guard let half else { return try normalized(value, field: field, isNew: isNew, done: &done) }
        guard repairs, !half.hidesMember else {
            let pointer = half.path.map { "/" + $0 }.joined()
            throw named(Violation(.badFormat, Violation.half, pointer: pointer), field)
        }
        let count = done.count
        let normal = try normalized(value, field: field, isNew: isNew, done: &done)
        if done.count == count { done.append(RowValues.Repair(field: field.name, from: value, to: normal)) }
        return normal
    }

    private func normalized(
        _ value: JSON, field: Field, isNew: Bool, done: inout [RowValues.Repair]
    ) throws(Violation) -> JSON {
        func recorded(_ repaired: JSON) -> JSON {
            done.append(RowValues.Repair(field: field.name, from: value, to: repaired))
            return repaired
        }
        if repairs, let repaired = replacement(for: value, field, isNew: isNew) { return recorded(repaired) }
        do {
            return try normalized(value, field)
        } catch {
            guard repairs, let repaired = judged.repaired(value, field),
                field.reference == nil || ValueSchema.namesRows(repaired)
            else { throw error }
            return recorded(repaired)
        }
    }

    /// The replacement for a value that says nothing; nil for any other value. In a new row, null becomes the default
    /// if the field can't be null. In a nullable reference, `""` and 0 become null.
    private func replacement(for value: JSON, _ field: Field, isNew: Bool) -> JSON? {
        if value.isNull, isNew, !field.value.isNullable, !field.fallback.isNull { return field.fallback }
        // Most fields refer to nothing, and comparing costs more than asking.
        guard field.isLookedUp, field.value.isNullable, !field.value.isStructured else { return Optional.none }
        return value == "" || value == 0 ? JSON.null : Optional.none
    }

    private func normalized(_ value: JSON, _ field: Field) throws(Violation) -> JSON {
        do throws(Violation) {
            let normal = try judged.normalized(value, field)
            if field.isLookedUp { try field.value.checkIDs(in: normal, areOfRows: field.reference != nil) }
            return normal
        } catch {
            throw named(error, field)
        }
    }

    /// The violation of a value as one of its field.
    private func named(_ violation: Violation, _ field: Field) -> Violation {
        encoding.worded(violation, of: field).named(field.name)
    }

    /// False for a field that is set once and is set, where that is skipped. Elsewhere it throws.
    private func maySet(_ field: Field, was old: JSON, isNew: Bool) throws(Violation) -> Bool {
        guard field.isSetOnce, !isNew, !old.isNull else { return true }
        guard skipsSetFields else { throw Violation.setField(field.name) }
        return false
    }

    private func checkRole(_ field: Field, _ old: [JSON], isNew: Bool) throws(Violation) {
        guard let needed = field.writeRole, let role, role < needed else { return }
        if let author = field.author.flatMap({ collection.position($0) }) {
            // Whoever creates a row is its author. A row without an author belongs to nobody.
            if isNew || old[author] == .int(userID) { return }
        }
        throw Violation(
            field.name, .fieldForbidden, detail: "Writing \(field.name) needs the role \(needed.word) or above.")
    }

    private struct Changes {
        var row: RowValues
        var list: [Violation] = []
        var result: Result<RowValues, Violations> {
            list.isEmpty ? .success(row) : .failure(Violations(list: list))
        }
    }
}

/// The values of an edited row, and the repairs that were made.
struct RowValues {
    struct Repair {
        let field: String
        let from: JSON
        let to: JSON
    }

    var values: [JSON]
    var repairs: [Repair] = []
    /// Whether something is not stored as it was sent: it was put into
    /// another form, left out, or is the server's to write.
    var isAltered = false
    /// Fields that were sent with the value they already have.
    var unchanged: [String] = []
    /// Fields that were sent with another value than the one that was set once.
    var skipped: [String] = []
}

/// Everything that is wrong with a row.
struct Violations: Error {
    var list: [Violation]
}

extension Violation {
    /// Of a new row whose id is not valid.
    static var invalidID: Violation {
        Violation("id", .invalidID, detail: "An id has 1 to 64 letters, digits, _ . or -, the first a letter or digit.")
    }

    /// Of a field that is set once, and is set.
    static func setField(_ name: String) -> Violation {
        Violation(name, .readOnlyField, detail: "\(name) is set once, and is set. Create another row instead.")
    }

    /// What is wrong with a text that was cut within an emoji.
    static let half = "must not contain half a surrogate pair, such as \\ud83d"

    /// The id is taken, in a way that the caller may not know about.
    static var idUnavailable: Violation {
        Violation(nil, .idUnavailable, detail: "This id can't be used. Create the row with another id.")
    }
}

extension Problem {
    /// The answer to a row with halves of surrogate pairs; nil if there are none.
    package init?(refusing halves: [MendedJSON.Half], of collection: Collection) {
        let problems = halves.prefix(100).map { half in
            let field = half.path.first ?? ""
            return RowProblem(
                pointer: half.path.map { "/" + $0 }.joined(), collection: collection.name, id: nil, field: field,
                code: .badFormat, detail: "\(field) \(Violation.half).")
        }
        self.init(refusing: problems)
    }

    /// Codes that can stand for a whole request if nothing else is wrong with it.
    private static let speaking: Set<ErrorCode> = [
        .idUnavailable, .fieldForbidden, .forbidden, .inUse, .lastOwner, .cyclicDependency, .quotaExceeded,
    ]

    /// The answer to a write with these problems, of which nothing was applied; nil if there are none.
    init?(refusing problems: [RowProblem]) {
        let sorted = problems.sorted { ($0.pointer, $0.code.rawValue) < ($1.pointer, $1.code.rawValue) }
        guard let first = sorted.first else { return nil }
        let isOne = Problem.speaking.contains(first.code) && sorted.allSatisfy { $0.code == first.code }
        let more = sorted.count == 1 ? "" : " \(sorted.count) problems in all, see errors; nothing was applied."
        self.init(isOne ? first.code : .invalidRows, first.detail + more, errors: sorted)
    }
}
