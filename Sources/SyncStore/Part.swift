package import SyncProtocol
package import SyncSchema

/// A part of a project, or of all projects: which rows of each collection a client asks for. It narrows what the caller
/// sees, and gives no rights. Values are in normal form.
package struct Part: Sendable, Hashable {
    /// What is asked of a field's value.
    package enum Condition: Sendable, Hashable {
        /// The value is one of these; null may be one.
        case isOne(of: [JSON])
        /// The value is none of these. Null meets it, unless it is one of them.
        case isNone(of: [JSON])
        /// The value is neither below nor above these; nil leaves an end open. Null never meets it. Texts are compared
        /// by their bytes.
        case isWithin(from: JSON?, until: JSON?)
        /// The list has at least one of these elements.
        case contains([JSON])
        /// The text begins with these bytes.
        case begins(with: String)
    }

    /// A condition of one field.
    package struct Term: Sendable, Hashable {
        /// The field's position in its collection.
        package let position: Int
        package let condition: Condition

        package init(position: Int, condition: Condition) {
            self.position = position
            self.condition = condition
        }
    }

    /// Terms that a row meets all. Without terms it is met by every row.
    package typealias Alternative = [Term]

    /// By collection: a row is in the part if it meets one of the alternatives. A collection without an entry follows
    /// the one that its schema names, or is whole.
    package let alternatives: [String: [Alternative]]
    /// A project is in the part if its row meets one of these; nil for all projects.
    package let projects: [Alternative]?

    package init(_ alternatives: [String: [Alternative]], projects: [Alternative]? = nil) {
        self.alternatives = alternatives
        self.projects = projects
    }

    /// The part that has everything.
    package static let whole = Part([:])

    /// What the part has of a project that is in it.
    package var ofProject: Part { Part(alternatives) }

    /// Whether the project with this row is in the part.
    package func holds(project row: StoredRow) -> Bool {
        guard let projects else { return true }
        return projects.contains { terms in
            terms.allSatisfy {
                $0.condition.holds($0.position == Part.Term.idPosition ? .string(row.id) : row.values[$0.position])
            }
        }
    }
}

extension Part {
    /// The collections that decide which rows of `collection` are in the part: itself, then the one that it follows,
    /// and so on up to the one with alternatives. Empty if the collection is whole.
    package func path(of collection: Collection, in registry: Registry) -> [Collection] {
        if alternatives[collection.name] != nil { return [collection] }
        guard let target = collection.followed(in: registry) else { return [] }
        let rest = path(of: target, in: registry)
        return rest.isEmpty ? [] : [collection] + rest
    }

    /// Whether the row is in the part. `followed` are the rows that it follows, nearest first, as far as there are any.
    package func holds(
        _ row: StoredRow, of collection: Collection, followed: ArraySlice<StoredRow>, in registry: Registry
    ) -> Bool {
        if let alternatives = alternatives[collection.name] {
            return alternatives.contains { $0.allSatisfy { $0.condition.holds(row.values[$0.position]) } }
        }
        guard let target = collection.followed(in: registry), let next = followed.first else { return true }
        return holds(next, of: target, followed: followed.dropFirst(), in: registry)
    }
}

extension Collection {
    /// The collection whose rows this one's rows follow; nil if there is none.
    package func followed(in registry: Registry) -> Collection? {
        follows.flatMap { field($0)?.reference }.flatMap { registry[$0.collection] }
    }
}

extension Part.Condition {
    package func holds(_ value: JSON) -> Bool {
        switch self {
        case .isOne(let values): values.contains(value)
        case .isNone(let values): !values.contains(value)
        case .isWithin(let from, let until):
            !value.isNull && from.map { !value.isBelow($0) } ?? true && until.map { !$0.isBelow(value) } ?? true
        case .contains(let elements): value.array?.contains(where: elements.contains) ?? false
        case .begins(let start): value.string.map { $0.utf8.starts(with: start.utf8) } ?? false
        }
    }
}

extension JSON {
    /// Whether the number or text comes before the other; texts by their bytes.
    func isBelow(_ other: JSON) -> Bool {
        if let text = string, let other = other.string { return text.utf8.lexicographicallyPrecedes(other.utf8) }
        if let number = int, let other = other.int { return number < other }
        guard let number, let other = other.number else { return false }
        return number < other
    }
}

extension Part {
    /// What a cursor is bound to: a text that is equal for equal parts, and for these alone.
    package var binding: String {
        let lists = alternatives.mapValues(Part.json)
        return JSON.object(lists).text + (projects.map { "|\(Part.json($0).text)" } ?? "")
    }

    private static func json(_ alternatives: [Alternative]) -> JSON {
        .array(alternatives.map { terms in .array(terms.map(\.json)) })
    }
}

extension Part.Term {
    /// Stands for the row's id, where a field has its position. Only projects are asked for by their ids.
    package static let idPosition = -1

    fileprivate var json: JSON { [.int(Int64(position)), condition.json] }
}

extension Part.Condition {
    /// Texts are equal if their bytes are equal, as in `JSON`.
    package static func == (left: Self, right: Self) -> Bool { left.json == right.json }

    fileprivate var json: JSON {
        switch self {
        case .isOne(let values): ["one": .array(values)]
        case .isNone(let values): ["none": .array(values)]
        case .isWithin(let from, let until): ["from": .array(Self.list(from)), "until": .array(Self.list(until))]
        case .contains(let values): ["has": .array(values)]
        case .begins(let text): ["prefix": .string(text)]
        }
    }

    private static func list(_ end: JSON?) -> [JSON] { end.map { [$0] } ?? [] }
}
