extension JSON {
    /// Parses one UTF-8 JSON document (RFC 8259) of any top-level type.
    ///
    /// Of several members with the same name, the last one counts. An object is malformed if two of its names differ
    /// only in how their letters are composed, such as U+00E9 and "e" with U+0301: Swift's dictionaries can't tell them
    /// apart. Throws `JSONError`.
    public init(parsing bytes: some Sequence<UInt8>, maximumDepth: Int = 128) throws {
        self = try JSONReader.read(Array(bytes), maximumDepth: maximumDepth)
    }

    /// Parses a JSON text; see `init(parsing:maximumDepth:)`.
    public init(parsing text: String) throws { try self.init(parsing: text.utf8) }
}
