import SyncProtocol

/// What the object of an answer has. Its JSON and its schema are made from one list of members, and an example is the
/// JSON of a sample, so none of them can differ from the others. `Endpoint+Explain.swift` shows how.
struct AnswerShape<Value>: Sendable {
    /// The name of the schema's component.
    let title: String
    let members: [Member]

    init(_ title: String, _ members: [Member]) {
        self.title = title
        self.members = members
    }

    struct Member: Sendable {
        let name: String
        let schema: JSON
        let json: @Sendable (Value) -> JSON

        init(_ name: String, _ schema: JSON, json: @escaping @Sendable (Value) -> JSON) {
            self.name = name
            self.schema = schema
            self.json = json
        }
    }

    var schema: JSON { Schema.object(schemas, title: title) }

    /// The members' schemas, by name.
    var schemas: [String: JSON] { Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.schema) }) }

    func json(_ value: Value) -> JSON {
        .object(Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.json(value)) }))
    }
}

/// Members that are objects of a shape of their own, or texts and numbers.
extension AnswerShape.Member {
    static func text(_ name: String, _ summary: String? = nil, value: @escaping @Sendable (Value) -> String) -> Self {
        Self(name, Schema.text.described(summary)) { .string(value($0)) }
    }

    static func optionalText(
        _ name: String, _ summary: String? = nil, value: @escaping @Sendable (Value) -> String?
    ) -> Self {
        Self(name, Schema.nullableText.described(summary)) { value($0).map(JSON.string) ?? .null }
    }

    static func integer(_ name: String, _ summary: String? = nil, value: @escaping @Sendable (Value) -> Int64) -> Self {
        Self(name, Schema.integer.described(summary)) { .int(value($0)) }
    }

    static func flag(_ name: String, _ summary: String? = nil, value: @escaping @Sendable (Value) -> Bool) -> Self {
        Self(name, Schema.flag.described(summary)) { .bool(value($0)) }
    }

    static func instant(_ name: String, _ summary: String? = nil, value: @escaping @Sendable (Value) -> Instant) -> Self
    {
        Self(name, Schema.instant.described(summary)) { .string(value($0).text) }
    }

    static func optionalInstant(
        _ name: String, _ summary: String? = nil, value: @escaping @Sendable (Value) -> Instant?
    ) -> Self {
        Self(name, Schema.nullableInstant.described(summary)) { value($0).map { .string($0.text) } ?? .null }
    }

    static func optionalCommit(
        _ name: String, _ summary: String? = nil, value: @escaping @Sendable (Value) -> SyncSeq?
    ) -> Self {
        Self(name, Schema.orNull(Schema.commit).described(summary)) { value($0).map { .int($0.rawValue) } ?? .null }
    }

    /// One of an enumeration's words.
    static func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ value: @escaping @Sendable (Value) -> Word
    ) -> Self {
        let words = Word.allCases.map { JSON.string($0.rawValue) }
        return Self(name, ["enum": .array(words)]) { .string(value($0).rawValue) }
    }

    static func object<Other>(
        _ name: String, _ shape: AnswerShape<Other>, value: @escaping @Sendable (Value) -> Other
    ) -> Self {
        Self(name, shape.schema) { shape.json(value($0)) }
    }

    static func optionalObject<Other>(
        _ name: String, _ summary: String? = nil, shape: AnswerShape<Other>,
        value: @escaping @Sendable (Value) -> Other?
    ) -> Self {
        Self(name, Schema.orNull(shape.schema).described(summary)) { value($0).map(shape.json) ?? .null }
    }

    static func list<Element>(
        _ name: String, of shape: AnswerShape<Element>, _ value: @escaping @Sendable (Value) -> [Element]
    ) -> Self {
        Self(name, Schema.list(shape.schema)) { .array(value($0).map(shape.json)) }
    }
}

extension JSON {
    fileprivate func described(_ text: String?) -> JSON { text.map { described($0) } ?? self }
}
