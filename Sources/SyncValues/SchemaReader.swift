package import SyncProtocol

/// Reads one object of a schema file, keyword by keyword. A keyword that nobody asked for is an error, never ignored.
package struct SchemaReader {
    package let file: String
    package let pointer: String
    private var members: [String: JSON]

    package init(file: String, pointer: String = "", _ json: JSON) throws(SchemaError) {
        self.file = file
        self.pointer = pointer
        guard let members = json.object else {
            throw SchemaError(file: file, pointer: pointer, reason: "must be an object")
        }
        self.members = members
    }

    /// Takes the keyword's value; nil if it is missing.
    package mutating func take(_ keyword: String) -> JSON? { members.removeValue(forKey: keyword) }

    /// Takes the value of a keyword that must have one type; nil if it is missing.
    package mutating func take<Value>(_ keyword: String, _ read: (JSON) -> Value?, type: String) throws(SchemaError)
        -> Value?
    {
        guard let json = take(keyword) else { return nil }
        guard let value = read(json) else { throw error("must be \(type)", at: keyword) }
        return value
    }

    package mutating func string(_ keyword: String) throws(SchemaError) -> String? {
        try take(keyword, \.string, type: "a string")
    }
    package mutating func integer(_ keyword: String) throws(SchemaError) -> Int? {
        try take(keyword, { $0.int.map(Int.init) }, type: "an integer")
    }
    package mutating func count(_ keyword: String) throws(SchemaError) -> Int? {
        try take(keyword, { $0.int.flatMap { $0 < 0 ? nil : Int($0) } }, type: "an integer that is not negative")
    }
    package mutating func flag(_ keyword: String) throws(SchemaError) -> Bool {
        try take(keyword, \.bool, type: "a boolean") ?? false
    }
    package mutating func strings(_ keyword: String) throws(SchemaError) -> [String]? {
        try take(keyword, { $0.array?.allStrings }, type: "a list of strings")
    }

    /// Takes the value of a keyword that must be one of an enumeration's words; nil if it is missing.
    package mutating func word<Word: RawRepresentable<String> & CaseIterable>(
        _ keyword: String, _: Word.Type
    ) throws(SchemaError) -> Word? {
        guard let text = try string(keyword) else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw error("\"\(text)\" is not supported; it must be one of \(words)", at: keyword)
        }
        return word
    }

    /// Takes a role; nil if it is missing.
    package mutating func role(_ keyword: String) throws(SchemaError) -> Role? {
        guard let text = try string(keyword) else { return nil }
        guard let role = Role(word: text) else { throw error("\"\(text)\" is not a role", at: keyword) }
        return role
    }

    /// Takes an object, which is read by a reader of its own; nil if it is missing.
    package mutating func object(_ keyword: String) throws(SchemaError) -> SchemaReader? {
        guard let json = take(keyword) else { return nil }
        return try SchemaReader(file: file, pointer: "\(pointer)/\(keyword)", json)
    }

    /// The members of a plain map, sorted by name.
    package func entries() -> [(name: String, value: JSON)] {
        members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Must be called last. Throws if a keyword was not taken, because it is not supported.
    package func finish() throws(SchemaError) {
        guard let name = members.keys.min() else { return }
        throw error("this keyword is not supported here", at: name)
    }

    package func error(_ reason: String, at keyword: String? = nil) -> SchemaError {
        SchemaError(file: file, pointer: keyword.map { "\(pointer)/\($0)" } ?? pointer, reason: reason)
    }
}

extension [JSON] {
    fileprivate var allStrings: [String]? {
        let strings = compactMap(\.string)
        return strings.count == count ? strings : nil
    }
}

/// What is wrong with a schema file. It ends the start of the server, so it says where the error is and what to do.
package struct SchemaError: Error, Sendable, Equatable, CustomStringConvertible {
    package let file: String
    /// RFC 6901 pointer into the file.
    package let pointer: String
    package let reason: String

    package init(file: String, pointer: String, reason: String) {
        self.file = file
        self.pointer = pointer
        self.reason = reason
    }

    package var description: String { pointer.isEmpty ? "\(file): \(reason)" : "\(file)#\(pointer): \(reason)" }
}
