package import SyncProtocol

/// How values of fields cross the wire. The store, the rules and everything else in the server know the normal form
/// only, which is `json`.
package enum WireEncoding: String, Sendable, Hashable, CaseIterable {
    case json
    /// So that WatermelonDB's client stores every column without loss: it knows no lists, objects and instants.
    case watermelondb

    /// What becomes of a value that is not null.
    package enum Form: Sendable {
        /// It crosses as it is.
        case plain
        /// A list or an object crosses as its JSON text.
        case text
        /// An instant crosses as milliseconds since 1970, an integer.
        case instant
        /// A boolean crosses as it is, and may come back as 0 or 1.
        case flag
    }

    package func form(of field: Field) -> Form {
        guard self == .watermelondb else { return .plain }
        return switch field.value.kind {
        case .array, .object: .text
        case .boolean: .flag
        case .string: field.value.format == .dateTime ? .instant : .plain
        case .integer, .number: .plain
        }
    }

    /// A field's value in its normal form, as the wire has it. Null stays null.
    package func encoded(_ value: JSON, of field: Field) -> JSON {
        switch (form(of: field), value) {
        case (_, .null), (.plain, _), (.flag, _): value
        case (.text, _): .string(value.text)
        case (.instant, _): value.string.flatMap { SyncProtocol.Instant($0) }.map { .int($0.milliseconds) } ?? .null
        }
    }

    /// What a client sent for a field, in the form that `ValueSchema.normalized` judges. What can't be read stays as it
    /// is, to be refused there; so does what is in the normal form already.
    package func decoded(_ sent: JSON, of field: Field) -> JSON {
        switch form(of: field) {
        case .plain: sent
        case .text: sent.string.flatMap { try? JSON(parsing: $0.utf8, maximumDepth: 32) } ?? sent
        case .instant: sent.number.flatMap(WireEncoding.instant) ?? sent
        case .flag: sent == 0 ? false : sent == 1 ? true : sent
        }
    }

    /// A row as a client sent it; members that are no fields stay as they are.
    package func decoded(_ row: [String: JSON], of collection: Collection) -> [String: JSON] {
        guard self != .json else { return row }
        var row = row
        for field in collection.fields { row[field.name] = row[field.name].map { decoded($0, of: field) } }
        return row
    }

    /// Whether a value of the row can't be stored whole: an instant with a part of a millisecond.
    package func cuts(_ row: [String: JSON], of collection: Collection) -> Bool {
        guard self != .json else { return false }
        return collection.fields.contains { field in
            guard form(of: field) == .instant, case .double? = row[field.name] else { return false }
            return true
        }
    }

    /// Nil outside the years 0001 to 9999.
    private static func instant(_ milliseconds: Double) -> JSON? {
        guard let whole = Int64(exactly: milliseconds.rounded(.down)) else { return nil }
        let instant = SyncProtocol.Instant(milliseconds: whole)
        return instant.isRepresentable ? .string(instant.text) : nil
    }

    /// A violation in the words of the encoding that the value was sent in. JSON text has no places that a pointer into
    /// the body could name.
    package func worded(_ violation: Violation, of field: Field) -> Violation {
        switch form(of: field) {
        case .plain, .flag: return violation
        case .text:
            let place = violation.pointer.isEmpty ? "" : " (at \(violation.pointer) of the JSON text)"
            let kind = violation.code == .wrongType && place.isEmpty ? ", as JSON text" : ""
            return Violation(violation.code, violation.detail + kind + place)
        case .instant:
            return Violation(violation.code, "must be milliseconds since 1970, within the years 1 to 9999")
        }
    }
}
