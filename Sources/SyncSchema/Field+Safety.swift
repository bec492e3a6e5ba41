import SyncProtocol
import SyncValues

/// Refuses fields whose keywords are understood one by one but don't work: the server would fail at a write, or a
/// keyword would promise something that does not hold.
extension Field {
    func checkReference(_ reader: SchemaReader) throws(SchemaError) {
        guard let reference else { return }
        guard value.kind == .string || reference.isList && value.items?.isPlainText == true else {
            throw reader.error("a reference is a string, or a list with items of type string", at: "x-ref")
        }
        guard value.format == nil else { throw reader.error("a reference is an id; remove the format", at: "format") }
        guard self.user == nil else { throw reader.error("a field can have one of x-ref and x-user", at: "x-user") }
        guard reference.isList || value.isNullable || reference.onDelete != .clear else {
            throw reader.error("clear makes the field null: allow null, or use cascade or restrict", at: "x-ref")
        }
        guard fallback.isNull || fallback == [] else {
            throw reader.error(
                "a new project has no such row: use \(reference.isList ? "[]" : "null"), or require the field",
                at: "default")
        }
    }

    func checkUser(_ user: OnLeave?, _ reader: SchemaReader) throws(SchemaError) {
        guard let user else { return }
        guard value.kind != .array else { return try checkUsers(reader) }
        guard value.kind == .integer else {
            throw reader.error("a user is an integer; several are a list with items of type integer", at: "x-user")
        }
        guard value.isNullable || user != .clear else {
            throw reader.error("clear makes the field null: allow null, or use keep", at: "x-user")
        }
        guard fallback.isNull else {
            throw reader.error("a user need not be a member, so the default can only be null", at: "default")
        }
    }

    private func checkUsers(_ reader: SchemaReader) throws(SchemaError) {
        guard value.items?.kind == .integer, value.items?.isNullable == false else {
            throw reader.error("a list of users has items of type integer", at: "x-user")
        }
        guard let most = value.maxItems, most <= Field.mostUsers else {
            throw reader.error("a list of users needs a maxItems of at most \(Field.mostUsers)", at: "x-user")
        }
        guard fallback.isNull || fallback == [] else {
            throw reader.error("a user need not be a member, so the default can only be [] or null", at: "default")
        }
    }

    func checkRole(_ reader: SchemaReader) throws(SchemaError) {
        guard !isServerOwned || writeRole == nil else {
            throw reader.error("nobody can change a readOnly field; remove x-role", at: "x-role")
        }
        guard author == nil || writeRole != nil else {
            throw reader.error("says who may change the field without the role in x-role; add x-role", at: "x-author")
        }
    }

    /// Checks that an index can hold the values, and that each of them can be compared as a whole.
    func checkFilterable(_ reader: SchemaReader) throws(SchemaError) {
        guard isFilterable, !isLookedUp, !value.isIndexable else { return }
        throw reader.error(
            "is for integers, numbers, booleans, dates, instants, users, references, an enum, and texts with a "
                + "maxLength of at most \(ValueSchema.mostIndexed); remove it, or set such a maxLength",
            at: "x-filterable")
    }

    /// Checks that the values have parts to merge, and that clients write them.
    func checkMerge(in scope: Collection.Scope, _ reader: SchemaReader) throws(SchemaError) {
        guard let merge else { return }
        let pointer = "x-merge"
        guard !isServerOwned else { throw reader.error("only the server writes the field; remove it", at: pointer) }
        guard scope != .membership else {
            throw reader.error("a membership is one decision, so its fields don't merge; remove it", at: pointer)
        }
        switch merge {
        case .set:
            guard value.kind == .array, value.hasUniqueItems else {
                throw reader.error("set is for lists with uniqueItems", at: pointer)
            }
        case .map:
            guard value.kind == .object else { throw reader.error("map is for objects", at: pointer) }
        case .counter:
            guard value.kind == .integer, !value.isNullable, !isLookedUp else {
                throw reader.error("counter is for integers that can't be null and are no user", at: pointer)
            }
        }
    }

    /// Checks that there is a null to begin with, and that nothing else may change the value.
    func checkOnce(_ reader: SchemaReader) throws(SchemaError) {
        guard isSetOnce else { return }
        let pointer = "x-once"
        guard !isServerOwned else { throw reader.error("only the server writes the field; remove it", at: pointer) }
        guard merge == nil else { throw reader.error("what is set once has nothing to merge; remove one", at: pointer) }
        guard value.isNullable, fallback.isNull else {
            throw reader.error("the field is null at first: allow null, and set no other default", at: pointer)
        }
    }

    /// Checks that the server finds each file that a row names, and that a client names it.
    func checkBlob(_ reader: SchemaReader) throws(SchemaError) {
        guard !value.holdsBlobs else {
            throw reader.error("a file is named by a field of its own, not inside a list or an object", at: "type")
        }
        guard blob != nil else { return }
        guard !isServerOwned else {
            throw reader.error("a client names the file; remove readOnly", at: "readOnly")
        }
        guard fallback.isNull else {
            throw reader.error("nobody has sent the file of a default: remove it", at: "default")
        }
        guard value.allowed == nil, value.pattern == nil, value.maxLength == nil, reference == nil else {
            throw reader.error("a digest has one form: remove enum, pattern, maxLength and x-ref", at: "format")
        }
    }

    func checkServerValue(_ reader: SchemaReader) throws(SchemaError) {
        guard let serverValue else { return }
        guard value.kind == serverValue.kind else {
            throw reader.error("\(serverValue.rawValue) has the type \(serverValue.kind.rawValue)", at: "x-value")
        }
        guard value.format == nil || value.format == serverValue.format else {
            let form = serverValue.format.map { "the format \($0.rawValue)" } ?? "no format"
            throw reader.error("\(serverValue.rawValue) has \(form)", at: "x-value")
        }
        if let limit = value.limits(serverValue.longest) {
            throw reader.error("the server fills the field and could break \(limit); remove it", at: "x-value")
        }
        if [.acceptedAt, .declinedAt].contains(serverValue), !value.isNullable || !fallback.isNull {
            throw reader.error("the field is null at first: allow null, and set no other default", at: "x-value")
        }
    }
}

extension Field.ServerValue {
    fileprivate var kind: ValueSchema.Kind { self == .caller ? .integer : .string }

    fileprivate var format: ValueSchema.Format? { isMoment ? .dateTime : nil }

    private var isMoment: Bool { [.createdAt, .updatedAt, .acceptedAt, .declinedAt].contains(self) }

    /// The most characters that the value can have.
    fileprivate var longest: Int {
        switch self {
        case .shortID: 8
        case .linkProvider: 32
        case .project: 64
        case .displayName: 255
        case .caller, .createdAt, .updatedAt, .acceptedAt, .declinedAt: 24
        }
    }
}

extension ValueSchema {
    /// The most characters of a text in an index: an entry of PostgreSQL's holds 2,704 bytes.
    fileprivate static let mostIndexed = 255

    /// Whether it is a single value that fits into an index, however long its text is.
    fileprivate var isIndexable: Bool {
        switch kind {
        case .integer, .number, .boolean: true
        case .array, .object: false
        case .string: format == .date || format == .dateTime || longestText <= ValueSchema.mostIndexed
        }
    }

    /// The most characters that a text can have, as far as the file says.
    private var longestText: Int {
        let longestWord = allowed?.compactMap { $0.string?.unicodeScalars.count }.max()
        return min(longestWord ?? .max, maxLength ?? .max)
    }

    /// Whether the value is any text, but not null.
    fileprivate var isPlainText: Bool { kind == .string && !isNullable && format == nil }

    /// A keyword that the server's value could break if it has up to `longest` characters; nil if there is none.
    fileprivate func limits(_ longest: Int) -> String? {
        let keywords = [
            ("enum", allowed != nil), ("pattern", pattern != nil), ("minimum", minimum != nil),
            ("maximum", maximum != nil), ("exclusiveMinimum", exclusiveMinimum != nil),
            ("a maxLength below \(longest)", (maxLength ?? longest) < longest),
        ]
        return keywords.first { $0.1 }?.0
    }
}
