import SyncProtocol
import SyncValues

/// Judges the values that an app gives a row, by the server's own code.
///
/// A value is refused only if each of the schemas refuses it: the one last fetched may be older than the server, and
/// the app may be, too. What the table can't hold is refused in any case.
struct RowCheck {
    /// The collection as its table is, which was last fetched, then as the app brought it. One at least.
    let schemas: [CollectionSchema]

    /// Mistakes in `fields` of a row; `row` is nil for a new one. A value that the row has here or on the server is not
    /// judged, so what an older version of the app stored stays, and an edit of it can be taken back. In the server's
    /// order: by field, then by code.
    func problems(_ fields: [String: JSON], of row: LocalRow?) -> [Violation] {
        let found = fields.compactMap { name, value in
            let known = [row?.values[name], row?.base?.values[name]].compactMap { $0 }
            return common {
                $0.problem(of: name) ?? (known.contains(value) ? nil : $0.problem(value, of: name, known: known))
            } ?? schemas[0].misfit(value, in: name)
        }
        return (found + (row == nil ? missing(fields) : [])).sorted {
            ($0.pointer, $0.code.rawValue) < ($1.pointer, $1.code.rawValue)
        }
    }

    /// Fields without which the server takes no new row.
    private func missing(_ fields: [String: JSON]) -> [Violation] {
        schemas[0].required.filter { name in
            fields[name] == nil && schemas.allSatisfy { $0.required.contains(name) && $0.hasNoDefault(name) }
        }.map(Violation.missing)
    }

    /// What all schemas find, in the words of the one last fetched.
    private func common(_ find: (CollectionSchema) -> Violation?) -> Violation? {
        let found = schemas.compactMap(find)
        return found.count == schemas.count ? found.first : nil
    }
}

extension CollectionSchema {
    fileprivate func hasNoDefault(_ field: String) -> Bool { self[field]?.defaultValue.isNull ?? true }

    /// What the server says to whoever writes a field that only it writes.
    static func readOnly(_ field: String) -> Violation {
        everywhere.contains(field) ? .fixedField(field) : .readOnlyField(field)
    }

    /// Why no edit may name the field, whatever its value.
    fileprivate func problem(of field: String) -> Violation? {
        if Self.everywhere.contains(field) { return Self.readOnly(field) }
        guard let column = self[field] else { return .unknownField(field, of: name) }
        return column.isReadOnly ? Self.readOnly(field) : nil
    }

    fileprivate func problem(_ value: JSON, of field: String, known: [JSON]) -> Violation? {
        self[field]?.problem(value, known: known)
    }

    /// Why the table can't hold the value, also if it is one that a schema takes: the app's may have another type.
    fileprivate func misfit(_ value: JSON, in field: String) -> Violation? {
        guard let column = self[field] else { return .unknownField(field, of: name) }
        guard !column.kind.accepts(value) else { return nil }
        return column.problem(value, known: []) ?? .wrongType(field)
    }
}

extension ColumnSchema {
    /// What is wrong with a value of a row that has the values `known`. A schema that this version can't read refuses
    /// nothing.
    fileprivate func problem(_ value: JSON, known: [JSON]) -> Violation? {
        guard let rules = rules() else { return nil }
        guard !known.contains(where: { rules.isOnlyShortened(value, from: $0) }) else { return nil }
        do throws(Violation) {
            let normal = try rules.normalized(value)
            if isLookedUp { try rules.checkIDs(in: normal, areOfRows: reference != nil) }
            return nil
        } catch {
            return error.named(name)
        }
    }

    /// The rules of the field's values. A device's list of time zones may be older than the server's, so any name will
    /// do that could be one.
    private func rules() -> ValueSchema? {
        guard var reader = try? SchemaReader(file: name, document), var rules = try? ValueSchema(&reader) else {
            return nil
        }
        if isLookedUp, rules.kind == .array { rules.hasUniqueItems = true }
        return rules.acceptingUnknownZones
    }

    /// Whether the values are ids of rows or of users.
    private var isLookedUp: Bool { reference != nil || document["x-user"] != nil }
}
