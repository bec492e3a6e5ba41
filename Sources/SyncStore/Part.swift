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
        case .isWithin(let from, let until): Part.Ends(from: from, until: until).hold(value)
        case .contains(let elements): value.array?.contains(where: elements.contains) ?? false
        case .begins(let start): value.string.map { $0.utf8.starts(with: start.utf8) } ?? false
        }
    }
}

extension Part {
    /// The ends of a range of values; nil leaves an end open.
    package struct Ends: Sendable, Hashable {
        /// The lowest value.
        package var from: JSON?
        /// What all values are above.
        package var above: JSON?
        /// The highest value.
        package var until: JSON?
        /// What all values are below.
        package var below: JSON?

        package init(from: JSON? = nil, above: JSON? = nil, until: JSON? = nil, below: JSON? = nil) {
            self.from = from
            self.above = above
            self.until = until
            self.below = below
        }

        /// Whether the value is between the ends. Null never is.
        func hold(_ value: JSON) -> Bool {
            guard !value.isNull, from.map({ !value.isBelow($0) }) ?? true, above.map({ $0.isBelow(value) }) ?? true
            else { return false }
            return until.map { !$0.isBelow(value) } ?? true && below.map { value.isBelow($0) } ?? true
        }

        /// What is left of the range without the values that meet the other condition, which is also one of a range:
        /// what is below, then what is above.
        package func sides(of other: Condition) -> [Ends] {
            guard case .isWithin(let first, let last) = other else { return [self] }
            if let first, let last, last.isBelow(first) { return [self] }
            return [first.flatMap(beneath), last.flatMap(beyond)].compactMap(\.self)
        }

        /// The values below this one; nil if there are none.
        private func beneath(_ top: JSON) -> Ends? {
            guard (from ?? above).map({ $0.isBelow(top) }) ?? true else { return nil }
            if until.map({ $0.isBelow(top) }) ?? below.map({ !top.isBelow($0) }) ?? false { return self }
            return Ends(from: from, above: above, below: top)
        }

        /// The values above this one; nil if there are none.
        private func beyond(_ bottom: JSON) -> Ends? {
            guard (until ?? below).map({ bottom.isBelow($0) }) ?? true else { return nil }
            if from.map({ bottom.isBelow($0) }) ?? above.map({ !$0.isBelow(bottom) }) ?? false { return self }
            return Ends(above: bottom, until: until, below: below)
        }
    }
}

extension Part.Alternative {
    /// What a row that meets this alternative may miss of the other.
    private func unmetTerms(of other: Part.Alternative) -> [Part.Term] { other.filter { !contains($0) } }

    /// Whether a row that meets this alternative meets one of the others, too, as their terms tell.
    package func isWithin(oneOf others: [Part.Alternative]) -> Bool {
        others.contains { unmetTerms(of: $0).isEmpty }
    }

    /// What others ask of the term's field, as far as a row that meets this alternative misses nothing else of them. It
    /// meets one of them if its value meets one of these conditions. They have the form of the term's own.
    package func conditions(besides term: Int, of others: [Part.Alternative]) -> [Part.Condition] {
        others.compactMap { other in
            let unmet = unmetTerms(of: other)
            guard unmet.count == 1, unmet[0].position == self[term].position else { return nil }
            switch (self[term].condition, unmet[0].condition) {
            case (.isOne, .isOne), (.isWithin, .isWithin): return unmet[0].condition
            default: return nil
            }
        }
    }
}

extension Part.Condition {
    /// The ranges of an index that have the values that meet this condition, and none of the others; none for `isNone`.
    package func ranges(without others: [Part.Condition]) -> [Part.IndexRange] {
        switch self {
        case .isOne(let values):
            values.filter { value in !others.contains { $0.holds(value) } }.map(Part.IndexRange.value)
        case .isWithin(let from, let until):
            others.reduce([Part.Ends(from: from, until: until)]) { ends, other in ends.flatMap { $0.sides(of: other) } }
                .map(Part.IndexRange.values)
        case .begins(let start):
            [.values(Part.Ends(from: .string(start), below: start.successor.map(JSON.string)))]
        case .contains(let elements):
            elements.indices.map { .element(elements[$0], without: Array(elements[..<$0])) }
        case .isNone: []
        }
    }
}

extension Part {
    /// Entries of an index.
    package enum IndexRange: Sendable, Hashable {
        /// Those with this value, which may be null.
        case value(JSON)
        /// Those with a value within these ends, by value.
        case values(Ends)
        /// Those of lists with this element, and with none of the others.
        case element(JSON, without: [JSON])
    }
}

extension String {
    /// The first text that does not begin with this one and follows all that do; nil if there is none.
    fileprivate var successor: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            return String(String.UnicodeScalarView(scalars))
        }
        return nil
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
