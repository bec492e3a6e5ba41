public import SyncProtocol

/// Which rows a replica holds, as in `docs/protocol.md#a-part-of-a-project`.
///
/// By collection it lists alternatives, each an object of conditions: a row needs one alternative, and of that all
/// conditions. Collections that it does not name come whole, or follow another one. In a replica of all projects it may
/// name `projects`, also with a list of ids.
///
/// ```swift
/// try PartFilter(["tasks": [["assignee": "@me"], ["sprint": ["s-1", "s-2"]]]])
/// ```
public struct PartFilter: Sendable, Hashable {
    /// The filter as JSON.
    public let json: JSON
    /// The canonical text: members sorted by name. Filters with the same text are the same.
    public let text: String

    /// Everything that the caller may see: `{}`.
    public static let everything = PartFilter(unchecked: [:])

    /// Checks the form and the limits of a filter: 2 KiB of text, 8 alternatives a collection, 4 conditions an
    /// alternative, 50 values a condition. The server checks fields and values. Throws `PartError`.
    public init(_ json: JSON) throws {
        try PartLimits.check(json)
        self.init(unchecked: json)
    }

    /// Reads a filter from JSON text. Throws `PartError`.
    public init(text: String) throws {
        guard let json = try? JSON(parsing: text) else { throw PartError.noFilter("it is not JSON") }
        try self.init(json)
    }

    private init(unchecked json: JSON) {
        self.json = json
        text = json.text
    }

    /// A filter that was stored as `text`; nil stands for everything.
    init(stored text: String?) {
        self.init(unchecked: text.flatMap { try? JSON(parsing: $0) } ?? [:])
    }

    /// What is stored: nil for everything.
    var stored: String? { isEverything ? nil : text }

    /// Whether it is `{}`.
    public var isEverything: Bool { json.object?.isEmpty ?? true }

    private var collections: [String: [JSON]] { (json.object ?? [:]).mapValues { $0.array ?? [] } }
}

extension PartFilter {
    /// The filter of what any of these filters has, of the collections that they name. A collection that none of them
    /// names comes whole. Without filters it is everything.
    ///
    /// Throws `PartError` if it would be too large, or if `projects` has ids in one and conditions in another.
    public static func union(of filters: [PartFilter]) throws -> PartFilter {
        var union: [String: [JSON]] = [:]
        for filter in filters {
            for (collection, alternatives) in filter.collections {
                let known = union[collection] ?? []
                union[collection] = known + alternatives.filter { !known.contains($0) }
            }
        }
        for (collection, alternatives) in union where alternatives.contains([:]) { union[collection] = [[:]] }
        return try PartFilter(.object(union.mapValues(JSON.array)))
    }

    /// Whether a replica of this filter holds what `part` asks for: each collection that the part names is whole here,
    /// or has the part's alternatives.
    func covers(_ part: PartFilter) -> Bool {
        let own = collections
        return part.collections.allSatisfy { collection, alternatives in
            guard let known = own[collection] else { return true }
            return known.contains([:]) || alternatives.allSatisfy(known.contains)
        }
    }
}

/// The form and the limits of a filter, which the server has as well.
enum PartLimits {
    /// The most bytes of the canonical text.
    static let bytes = 2048
    /// The most alternatives of a collection.
    static let alternatives = 8
    /// The most conditions of an alternative.
    static let conditions = 4
    /// The most values of a condition.
    static let values = 50

    static func check(_ json: JSON) throws {
        guard let collections = json.object else { throw PartError.noFilter("it is not an object") }
        for (name, entries) in collections.sorted(by: { $0.key < $1.key }) { try check(entries, of: name) }
        let size = json.bytes.count
        guard size <= bytes else { throw PartError.tooLarge("\(size) bytes", limit: "\(bytes) bytes") }
    }

    private static func check(_ entries: JSON, of collection: String) throws {
        guard let entries = entries.array else { throw PartError.noFilter("`\(collection)` is not an array") }
        if collection == ProjectColumn.collection, entries.contains(where: { $0.string != nil }) {
            guard entries.allSatisfy({ $0.string != nil }) else {
                throw PartError.noFilter("`\(collection)` has ids and conditions: it takes one or the other")
            }
            return try require(entries.count, atMost: values, "ids in `\(collection)`")
        }
        try require(entries.count, atMost: alternatives, "alternatives in `\(collection)`")
        for entry in entries {
            guard let members = entry.object else {
                throw PartError.noFilter("an alternative of `\(collection)` is not an object")
            }
            try require(members.count, atMost: conditions, "conditions in an alternative of `\(collection)`")
            for (field, condition) in members {
                try require(count(condition), atMost: values, "values for `\(field)` of `\(collection)`")
            }
        }
    }

    /// The values that a condition lists.
    private static func count(_ condition: JSON) -> Int {
        let lists = [condition] + ["not", "has"].compactMap { condition[$0] }
        return lists.compactMap { $0.array?.count }.max() ?? 1
    }

    private static func require(_ count: Int, atMost limit: Int, _ what: String) throws {
        guard count <= limit else { throw PartError.tooLarge("\(count) \(what)", limit: "\(limit)") }
    }
}
