public import SyncProtocol
import SyncValues

/// What the server would say of a value, in its own words: see the errors in docs/protocol.md.
public struct EditProblem: Sendable, Equatable {
    /// The field; nil if the whole row is at fault.
    public let field: String?
    /// The place within the row, as an RFC 6901 pointer, such as `/tags/3`.
    public let pointer: String
    /// The server's code, such as `out_of_range`.
    public let code: String
    /// A sentence for a person.
    public let detail: String
    /// The id of the row that has the same unique key; nil for other problems.
    public let existing: String?

    init(_ violation: Violation) {
        field = violation.field
        pointer = violation.pointer
        code = violation.code.rawValue
        detail = violation.detail
        existing = violation.existing
    }

    /// Reads an entry of `errors` in an answer.
    init?(answered json: JSON) {
        guard let code = json["code"]?.string else { return nil }
        field = json["field"]?.string
        pointer = json["pointer"]?.string ?? ""
        self.code = code
        detail = json["detail"]?.string ?? code
        existing = json["existing"]?.string
    }
}

/// What an edit would meet.
public struct EditCheck: Sendable, Equatable {
    /// Mistakes in the row's own values. `Replica.insert` and `update` refuse an edit that has any.
    public let problems: [EditProblem]
    /// For what else the server may refuse the edit, as far as this device knows: the role, an archived project, a row
    /// that is not here, a unique key. The device may know too little, so such an edit is stored and sent.
    public let warnings: [EditProblem]
}

extension Replica {
    /// Judges an edit without making it, for a form. `id` is the row's; nil for a new row. What the row's own values
    /// say is what the server will say, in its words. Unique keys take a walk over the collection's rows.
    ///
    /// Throws `EditError` if there is no such row or collection, and `ReplicaError`.
    public func check(_ fields: [String: JSON], in collection: String, id: String? = nil) throws -> EditCheck {
        guard let schema = try localSchema() else { throw EditError.notPulled }
        guard let found = schema[collection] else { throw EditError.unknownCollection(collection) }
        return try read { db in
            let table = RowTable(db, found)
            let old = try id.map(table.live)
            let problems = found.rowCheck(brought: appSchema).problems(fields, of: old)
            let warnings = EditWarnings(table: table, schema: schema, id: id ?? "", old: old, fields: fields)
            return EditCheck(
                problems: problems.map(EditProblem.init), warnings: try warnings.found().map(EditProblem.init))
        }
    }
}

extension EditError {
    /// The mistakes in the edit's values, as the server would name them. Empty if the values are not at fault.
    public var problems: [EditProblem] {
        switch self {
        case .refused(let problems, _): problems
        case .unknownField(let field, let collection): [EditProblem(.unknownField(field, of: collection))]
        case .readOnlyField(let field, _): [EditProblem(CollectionSchema.readOnly(field))]
        case .missingFields(let fields, _): fields.sorted().map { EditProblem(.missing($0)) }
        case .wrongType(let field, _, let sentence): [EditProblem(.wrongType(field, sentence.text))]
        case .notPulled, .unknownCollection, .notUploadable, .unknownRow, .rowExists, .invalidID, .missingProject,
            .unknownProject, .fixedProject:
            []
        }
    }

    /// Nil if there are no problems. A mistake that has a case of its own gets it if there are no others.
    init?(_ problems: [Violation], of schema: CollectionSchema) {
        guard let first = problems.first else { return nil }
        let collection = schema.name
        let field = first.field ?? ""
        let areOfWholeValues = problems.allSatisfy { $0.pointer == "/\($0.field ?? "")" }
        switch (first.code, problems.count) {
        case (.required, _) where areOfWholeValues && problems.allSatisfy({ $0.code == .required }):
            let fields = problems.compactMap(\.field)
            self = .missingFields(schema.required.filter(fields.contains), collection: collection)
        case (.unknownField, 1): self = .unknownField(field, collection: collection)
        case (.readOnlyField, 1): self = .readOnlyField(field, collection: collection)
        case (.wrongType, 1) where areOfWholeValues:
            self = .wrongType(field, collection: collection, sentence: Sentence(first.detail))
        default: self = .refused(problems.map(EditProblem.init), collection: collection)
        }
    }
}

extension Violation {
    /// `sentence` is nil if nobody has judged the value.
    static func wrongType(_ field: String, _ sentence: String? = nil) -> Violation {
        Violation(field, .wrongType, detail: sentence ?? "\(field) has a value of the wrong type.")
    }
}
