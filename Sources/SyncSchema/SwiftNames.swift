import SyncProtocol

/// Makes names of Swift from those of a schema, each of which is given once.
struct SwiftNames {
    private var used: Set<String>

    init(used: Set<String> = []) { self.used = used }

    /// The name, with underscores at its end if it was taken, and in backticks if it is a keyword.
    mutating func take(_ name: String) -> String {
        var name = name
        while !used.insert(name).inserted { name += "_" }
        return SwiftNames.keywords.contains(name) ? "`\(name)`" : name
    }

    /// A property: `planned_start` is `plannedStart`, `sprint_id` is `sprintID`.
    static func member(_ name: String) -> String {
        let words = name.split(separator: "_").map(String.init)
        return (words.first ?? "") + words.dropFirst().map(capitalized).joined()
    }

    /// A type: `dep_type` is `DepType`.
    static func type(_ name: String) -> String {
        name.split(separator: "_").map { capitalized(String($0)) }.joined()
    }

    /// The case of an enum's value: `NOT_STARTED` is `notStarted`, 100 is `value100`.
    static func value(_ value: JSON) -> String {
        guard let text = value.string else { return value.text.replacing("-", with: "minus").prefixed }
        let words = split(text).map { $0.allSatisfy { !$0.isLowercase } ? $0.lowercased() : $0 }
        guard let first = words.first else { return text.isEmpty ? "empty" : "value" }
        return (first.prefix(1).lowercased() + first.dropFirst() + words.dropFirst().map(capitalized).joined()).prefixed
    }

    private static func split(_ text: String) -> [String] {
        text.unicodeScalars.split { !$0.isASCII || !$0.properties.isAlphabetic && $0.properties.numericType == nil }
            .map { String($0) }
    }

    private static func capitalized(_ word: String) -> String {
        acronyms[word] ?? word.prefix(1).uppercased() + word.dropFirst()
    }

    private static let acronyms = ["id": "ID", "ids": "IDs", "url": "URL", "urls": "URLs"]

    /// Names of a model's own members, and of those of its `CodingKeys`.
    static let ofModels: Set = [
        "id", "serverVersion", "projectID", "self", "init", "hashValue", "rawValue", "stringValue", "intValue",
    ]

    /// Names of types that a model uses.
    static let ofTypes: Set = [
        "Any", "Bool", "CodingKey", "CodingKeys", "Decoder", "Double", "Encoder", "Hasher", "ID", "Int", "JSON", "New",
        "NewRowModel", "Protocol", "RawValue", "RowEnum", "RowModel", "Self", "String", "Type",
    ]

    /// Names that mean something else after a dot, and those of an enum's own members.
    static let ofCases: Set = [
        "allCases", "hashValue", "init", "none", "rawValue", "self", "some", "unknown",
    ]

    /// Words that are no names without backticks:
    /// https://docs.swift.org/swift-book/ReferenceManual/LexicalStructure.html
    static let keywords: Set = [
        "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default", "defer", "deinit",
        "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import", "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol",
        "public", "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw", "throws",
        "true", "try", "typealias", "var", "where", "while",
    ]
}

extension String {
    /// A name that begins with a letter.
    fileprivate var prefixed: String { first?.isLetter == true ? self : "value" + self }
}
