import SyncProtocol
package import SyncSchema
package import SyncStore
import SyncValues

/// Reads the parameters `filter` and `filter_was`: JSON by collection, of alternatives (or), each an object of
/// conditions (and).
///
/// Filters that say the same in another order of members or values give equal parts: both are the same drain. The order
/// of alternatives is kept, because rows are served in it.
package struct PartReader {
    package let registry: Registry
    /// Whom `"@me"` means.
    package let user: Int64
    /// The parameter's name, for messages.
    package let parameter: String
    /// Whether the filter may name projects: in a pull of all of them.
    package let allowsProjects: Bool

    package init(registry: Registry, user: Int64, parameter: String, allowsProjects: Bool) {
        self.registry = registry
        self.user = user
        self.parameter = parameter
        self.allowsProjects = allowsProjects
    }

    private static let mostBytes = 2048
    private static let mostAlternatives = 8
    private static let mostConditions = 4
    fileprivate static let mostValues = 50

    /// The part that the filter asks for, with values in normal form. Throws `invalid_filter`, with a pointer to the
    /// place in the filter.
    package func part(_ text: String) throws -> Part {
        let place = FilterPlace(parameter: parameter)
        guard text.utf8.count <= PartReader.mostBytes else {
            throw place.problem("must have at most 2 KiB; ask for less, or pull without it", .tooLong)
        }
        guard let members = (try? JSON(parsing: text))?.object else {
            throw place.problem(#"must be a JSON object by collection, such as {"tasks":[{"assignee":"@me"}]}"#)
        }
        var alternatives: [String: [Part.Alternative]] = [:]
        var projects: [Part.Alternative]?
        for (name, json) in members.sorted(by: { $0.key < $1.key }) {
            let place = place.at(collection: name)
            let collection = try collection(name, at: place)
            let asked = try self.alternatives(json, of: collection, at: place)
            if collection.scope == .project { projects = asked } else { alternatives[name] = asked }
        }
        return Part(alternatives, projects: projects)
    }

    private func collection(_ name: String, at place: FilterPlace) throws -> Collection {
        guard let collection = registry[name] else {
            let names = registry.collections.map(\.name).joined(separator: ", ")
            throw place.problem("names no collection; there are: \(names)", .unknownCollection)
        }
        guard collection.scope != .project || allowsProjects else {
            throw place.problem("is only for a pull of all projects; leave it out in a pull of one")
        }
        return collection
    }

    private func alternatives(
        _ json: JSON, of collection: Collection, at place: FilterPlace
    ) throws -> [Part.Alternative] {
        guard let list = json.array else {
            throw place.problem("must be a list of alternatives: [{}] is all rows, [] is none", .wrongType)
        }
        if collection.scope == .project, !list.isEmpty, list.allSatisfy({ $0.string != nil }) {
            return [[try PartReader.term(ids: list, at: place)]]
        }
        guard list.count <= PartReader.mostAlternatives else {
            throw place.problem("must have at most \(PartReader.mostAlternatives) alternatives", .tooLong)
        }
        var kept: [Part.Alternative] = []
        for (index, json) in list.enumerated() {
            let alternative = try alternative(json, of: collection, at: place.at(String(index)))
            if !kept.contains(alternative) { kept.append(alternative) }
        }
        return kept
    }

    private static func term(ids: [JSON], at place: FilterPlace) throws -> Part.Term {
        guard ids.count <= mostValues else { throw place.problem("must have at most \(mostValues) ids", .tooLong) }
        return Part.Term(position: Part.Term.idPosition, condition: .isOne(of: ids.normalList))
    }

    /// The terms in the order of their fields.
    private func alternative(
        _ json: JSON, of collection: Collection, at place: FilterPlace
    ) throws -> Part.Alternative {
        guard let members = json.object else {
            throw place.problem("must be an object of conditions by field; {} is all rows", .wrongType)
        }
        guard members.count <= PartReader.mostConditions else {
            throw place.problem("must have at most \(PartReader.mostConditions) conditions", .tooLong)
        }
        var terms: Part.Alternative = []
        for (name, json) in members.sorted(by: { $0.key < $1.key }) {
            let place = place.at(field: name)
            let field = try field(name, of: collection, at: place)
            let condition = try ConditionReader(field, user: user).condition(json, at: place)
            // Every row meets it.
            if condition == .isNone(of: []) { continue }
            terms.append(Part.Term(position: collection.position(of: field), condition: condition))
        }
        return terms.sorted { $0.position < $1.position }
    }

    private func field(_ name: String, of collection: Collection, at place: FilterPlace) throws -> Field {
        if let field = collection.field(name), field.isFilterable { return field }
        let names = collection.fields.filter(\.isFilterable).map(\.name).joined(separator: ", ")
        let known = names.isEmpty ? "it has no such fields; use [{}] or []" : "there are: \(names)"
        throw place.problem("is no field that \(collection.name) can be filtered by; \(known)", .unknownField)
    }
}

/// Reads what a filter asks of one field.
private struct ConditionReader {
    let field: Field
    let user: Int64
    /// What a value may be, or an element of a list. There are no bounds: a value outside of them is in no row.
    private let schema: ValueSchema

    init(_ field: Field, user: Int64) {
        self.field = field
        self.user = user
        var schema = field.isListOfIDs ? field.value.items ?? field.value : field.value
        schema.maxLength = nil
        schema.pattern = nil
        schema.minimum = nil
        schema.exclusiveMinimum = nil
        schema.maximum = nil
        self.schema = schema
    }

    func condition(_ json: JSON, at place: FilterPlace) throws -> Part.Condition {
        guard let members = json.object else {
            guard !field.isListOfIDs else { throw otherForm(at: place) }
            return .isOne(of: try values(json, at: place))
        }
        let only = members.count == 1 ? members.keys.first : nil
        switch only ?? "" {
        case "has" where field.isListOfIDs:
            return .contains(try values(json["has"] ?? .null, at: place.at("has")))
        case "not" where !field.isListOfIDs:
            return .isNone(of: try values(json["not"] ?? .null, at: place.at("not")))
        case "prefix" where field.isFreeText:
            return .begins(with: try bound(json["prefix"] ?? .null, at: place.at("prefix")).string ?? "")
        default:
            let isRange = !members.isEmpty && Set(members.keys).isSubset(of: ["from", "until"])
            guard isRange, field.isOrdered else { throw otherForm(at: place) }
            return .isWithin(
                from: try members["from"].map { try bound($0, at: place.at("from")) },
                until: try members["until"].map { try bound($0, at: place.at("until")) })
        }
    }

    /// A value, or the values of a list.
    private func values(_ json: JSON, at place: FilterPlace) throws -> [JSON] {
        guard let list = json.array else { return [try value(json, at: place)] }
        guard list.count <= PartReader.mostValues else {
            throw place.problem("must have at most \(PartReader.mostValues) values", .tooLong)
        }
        return try list.enumerated().map { try value($1, at: place.at(String($0))) }.normalList
    }

    /// Null may be asked for everywhere, though not every field has it. No list has it.
    private func value(_ json: JSON, at place: FilterPlace) throws -> JSON {
        if json.isNull, !field.isListOfIDs { return .null }
        if json == "@me", field.holdsUser || field.holdsUsers { return .int(user) }
        return try normalized(json, by: schema, at: place)
    }

    /// An end of a range, or a prefix. It need not be one of the field's words.
    private func bound(_ json: JSON, at place: FilterPlace) throws -> JSON {
        guard !json.isNull else { throw place.problem("must not be null; leave it out instead", .wrongType) }
        var schema = schema
        schema.allowed = nil
        return try normalized(json, by: schema, at: place)
    }

    private func normalized(_ json: JSON, by schema: ValueSchema, at place: FilterPlace) throws -> JSON {
        do throws(Violation) {
            return try schema.normalized(json)
        } catch {
            throw place.problem(error.detail, error.code)
        }
    }

    private func otherForm(at place: FilterPlace) -> Problem {
        place.problem("must be " + field.conditionForms.joined(separator: ", or "), .wrongType)
    }
}

extension Field {
    /// Whether a range can be asked for.
    fileprivate var isOrdered: Bool {
        switch value.kind {
        case .integer, .number: !holdsUser
        case .string: value.format == .date || value.format == .dateTime
        case .boolean, .array, .object: false
        }
    }

    /// Whether a prefix can be asked for.
    fileprivate var isFreeText: Bool {
        value.kind == .string && value.format == nil && value.allowed == nil && reference == nil
    }

    /// What a condition of the field can be.
    fileprivate var conditionForms: [String] {
        guard !isListOfIDs else { return [#"{"has": an id, or a list of ids}"#] }
        let plain = ["a value", "a list of values", #"{"not": a value, or a list of values}"#]
        return plain + (isOrdered ? [#"{"from": a value, "until": a value} with at least one of them"#] : [])
            + (isFreeText ? [#"{"prefix": a text}"#] : [])
    }
}

/// A place in a filter, for what is wrong there.
private struct FilterPlace {
    let parameter: String
    private var pointer = ""
    private var collection = ""
    private var field: String?

    init(parameter: String) { self.parameter = parameter }

    func at(_ token: String) -> FilterPlace {
        var place = self
        place.pointer += "/" + token.replacing("~", with: "~0").replacing("/", with: "~1")
        return place
    }

    func at(collection name: String) -> FilterPlace {
        var place = at(name)
        place.collection = name
        return place
    }

    func at(field name: String) -> FilterPlace {
        var place = at(name)
        place.field = name
        return place
    }

    /// `reason` goes on after the name of the place.
    func problem(_ reason: String, _ code: ErrorCode = .invalidFilter) -> Problem {
        let detail = parameter + (pointer.isEmpty ? "" : " at \(pointer)") + " \(reason)."
        let error = RowProblem(
            pointer: pointer, collection: collection, id: nil, field: field, code: code, detail: detail)
        return Problem(.invalidFilter, detail, errors: [error])
    }
}

extension [JSON] {
    /// The same values, each once, in an order that depends on them alone: numbers by size, texts by their bytes.
    fileprivate var normalList: [JSON] { Set(self).sorted(by: Self.precedes) }

    private static func precedes(_ one: JSON, _ other: JSON) -> Bool {
        switch (one, other) {
        case (.int(let one), .int(let other)): return one < other
        case (.string(let one), .string(let other)): return ExactText(one) < ExactText(other)
        default:
            if let one = one.number, let other = other.number { return one < other }
            return one.text < other.text
        }
    }
}
