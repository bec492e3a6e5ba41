package import SyncProtocol
package import SyncValues

/// How field values are written on the wire. The store, the rules and everything else in the server know only the
/// normal form, which is `json`.
package enum WireEncoding: String, Sendable, Hashable, CaseIterable {
    case json
    /// For WatermelonDB's client, which knows no lists, objects and instants.
    /// With this encoding it stores every column without loss.
    case watermelondb

    /// How a value that is not null is written.
    package enum Form: Sendable {
        /// Unchanged.
        case plain
        /// A list or an object as its JSON text.
        case text
        /// An instant as milliseconds since 1970, an integer.
        case instant
        /// A boolean unchanged. It may come back as 0 or 1.
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

    /// Turns a value in normal form into its wire form. Null stays null.
    package func encoded(_ value: JSON, of field: Field) -> JSON {
        switch (form(of: field), value) {
        case (_, .null), (.plain, _), (.flag, _): value
        case (.text, _): .string(value.text)
        case (.instant, _): value.string.flatMap { SyncProtocol.Instant($0) }.map { .int($0.milliseconds) } ?? .null
        }
    }

    /// Whether a client has this value, in normal form, in a column of the field in which nothing was stored yet.
    /// WatermelonDB has null, an empty text, 0 or false there. Any other client reads the schema's default.
    package func isUnset(_ value: JSON, of field: Field) -> Bool {
        guard self == .watermelondb else { return value == field.fallback }
        let stored = encoded(value, of: field)
        if field.value.isNullable { return stored.isNull }
        return stored == "" || stored == false || stored.number == 0
    }

    /// What a client sent for a field, in the form that `ValueSchema.normalized` checks. A value that can't be read
    /// stays unchanged, and is refused there. A value that is already in normal form stays unchanged too.
    package func decoded(_ sent: JSON, of field: Field) -> JSON {
        switch form(of: field) {
        case .plain: sent
        case .text: WireEncoding.document(in: sent)?.value ?? sent
        case .instant: sent.number.flatMap(WireEncoding.instant) ?? sent
        case .flag: sent == 0 ? false : sent == 1 ? true : sent
        }
    }

    /// The same for a row. Members that are not fields stay unchanged. `halves` gets the halves of surrogate pairs in
    /// JSON text, by field; see `MendedJSON`.
    package func decoded(
        _ row: [String: JSON], of collection: Collection, halves: inout [String: MendedJSON.Half]
    ) -> [String: JSON] {
        guard self != .json else { return row }
        var row = row
        for field in collection.fields {
            guard let sent = row[field.name] else { continue }
            if form(of: field) == .text, let document = WireEncoding.document(in: sent) {
                row[field.name] = document.value
                if let half = document.worstHalf { halves[field.name] = half }
            } else {
                row[field.name] = decoded(sent, of: field)
            }
        }
        return row
    }

    /// The value that a JSON text says; nil if it is none.
    private static func document(in sent: JSON) -> MendedJSON? {
        sent.string.flatMap { try? MendedJSON(parsing: $0.utf8, maximumDepth: 32) }
    }

    /// Whether a value of the row can't be stored exactly: an instant with a fraction of a millisecond.
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

    /// Describes a violation in terms of the encoding that the value was sent in. A pointer into the body can't name a
    /// place within JSON text, so the detail names it.
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
