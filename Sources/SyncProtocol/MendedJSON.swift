/// A JSON document that was read although texts in it hold half a surrogate pair, such as `\ud83d`: they were cut
/// within an emoji. JavaScript cuts so, and `JSON.stringify` writes it. No Unicode text can hold a half, so it is read
/// as U+FFFD.
package struct MendedJSON: Sendable {
    /// A text with a half.
    package struct Half: Sendable, Hashable {
        /// The names and indices that lead to the text, or to the member whose name it is.
        package let path: [String]
        /// The text as the document writes it. Texts that differ only in their halves differ here.
        package let source: String
        /// Whether it is a name that is now the same as another one of its object, so that a member was lost.
        package let hidesMember: Bool

        /// The same, as seen from `steps` further down its path.
        package func below(_ steps: Int) -> Half {
            Half(path: Array(path.dropFirst(steps)), source: source, hidesMember: hidesMember)
        }
    }

    package let value: JSON
    /// In the order of the document. Empty for nearly every document.
    package let halves: [Half]

    /// A half that cost a member, otherwise the first one; nil if there is none.
    package var worstHalf: Half? { halves.first(where: \.hidesMember) ?? halves.first }

    /// More texts with halves than any honest document has.
    fileprivate static let mostHalves = 10_000

    /// Reads like `JSON(parsing:maximumDepth:)`, with U+FFFD for each half of a pair.
    package init(parsing bytes: some Sequence<UInt8>, maximumDepth: Int = 128) throws {
        var reader = JSONReader(Array(bytes), maximumDepth: maximumDepth, mendsHalves: true)
        var again = reader
        let value = try reader.value()
        try reader.end()
        guard reader.halves > 0 else {
            self.value = value
            halves = []
            return
        }
        // Places are found by a second reading, so a document without halves costs nothing more.
        var notes = HalfNotes()
        self.value = try again.value(noting: &notes)
        halves = notes.halves
    }
}

/// Where a reader is, and the halves that it has met.
private struct HalfNotes {
    enum Step {
        case name(String)
        case index(Int)

        var text: String {
            switch self {
            case .name(let name): name
            case .index(let index): String(index)
            }
        }
    }

    var path: [Step] = []
    private(set) var halves: [MendedJSON.Half] = []

    mutating func add(_ source: String, hidesMember: Bool = false) throws {
        guard halves.count < MendedJSON.mostHalves else {
            throw JSONError.malformed("more than \(MendedJSON.mostHalves) texts have half a surrogate pair")
        }
        halves.append(MendedJSON.Half(path: path.map(\.text), source: source, hidesMember: hidesMember))
    }
}

extension JSONReader {
    fileprivate mutating func value(noting notes: inout HalfNotes) throws -> JSON {
        if isAtObject { return .object(try members(noting: &notes)) }
        if isAtArray { return .array(try elements(noting: &notes)) }
        let before = halves
        let value = try value()
        if halves > before { try notes.add(halfSource) }
        return value
    }

    private mutating func members(noting notes: inout HalfNotes) throws -> [String: JSON] {
        var members: [String: JSON] = [:]
        var mended: Set<String> = []
        var before = halves
        try object { reader, name in
            notes.path.append(.name(name))
            let hides = members[name] != nil
            if reader.halves > before {
                mended.insert(name)
                try notes.add(reader.halfSource, hidesMember: hides)
            } else if hides, mended.contains(name) {
                try notes.add(name, hidesMember: true)
            }
            try reader.put(try reader.value(noting: &notes), under: name, into: &members)
            notes.path.removeLast()
            before = reader.halves
        }
        return members
    }

    private mutating func elements(noting notes: inout HalfNotes) throws -> [JSON] {
        var elements: [JSON] = []
        try array { reader in
            notes.path.append(.index(elements.count))
            elements.append(try reader.value(noting: &notes))
            notes.path.removeLast()
        }
        return elements
    }
}
