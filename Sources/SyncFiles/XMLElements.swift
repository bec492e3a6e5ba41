import CExpat

/// The elements of a small XML document that have text, in the order of their ends. Names are without namespace.
struct XMLElements {
    private var elements: [(name: String, text: String)] = []
    /// Whether the document is complete and well-formed.
    private(set) var isWhole = false

    init(_ bytes: some Collection<UInt8>) {
        let reader = Reader()
        isWhole = reader.read(Array(bytes))
        elements = reader.elements
    }

    /// The text of the first element of this name.
    func first(_ name: String) -> String? { elements.first { $0.name == name }?.text }

    /// The texts of all elements of these names, grouped: each group ends with the element `end`.
    func groups(ending end: String) -> [[String: String]] {
        var groups: [[String: String]] = []
        var group: [String: String] = [:]
        for (name, text) in elements {
            guard name == end else {
                group[name] = text
                continue
            }
            groups.append(group)
            group = [:]
        }
        return groups
    }

    /// Runs libexpat. A DOCTYPE ends it: S3 has none, and without one nothing expands.
    private final class Reader {
        var elements: [(name: String, text: String)] = []
        private var text = ""
        private let parser: XML_Parser

        init() {
            // Safe because expat returns null only when there is no memory for a parser.
            parser = XML_ParserCreate(nil)!
            // Unretained because `parser` holds the pointer, and this object owns `parser` and frees it first.
            XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
            XML_SetElementHandler(
                parser, { user, _, _ in Reader.of(user).text = "" },
                { user, name in Reader.of(user).end(name.map { String(cString: $0) } ?? "") })
            XML_SetCharacterDataHandler(parser) { user, bytes, count in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: Int(count))
                Reader.of(user).text += String(decoding: bytes, as: UTF8.self)
            }
            XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in XML_StopParser(Reader.of(user).parser, 0) }
        }

        deinit { XML_ParserFree(parser) }

        /// Returns whether the document is complete and well-formed.
        func read(_ bytes: [UInt8]) -> Bool {
            bytes.withUnsafeBytes { bytes in
                XML_Parse(parser, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), 1)
            } == XML_STATUS_OK
        }

        private func end(_ name: String) {
            let local = name.utf8.lastIndex(of: UInt8(ascii: ":")).map { name[name.utf8.index(after: $0)...] }
            elements.append((local.map(String.init) ?? name, text))
            text = ""
        }

        private static func of(_ user: UnsafeMutableRawPointer?) -> Reader {
            // Safe because the user data is set before any handler can be called.
            Unmanaged<Reader>.fromOpaque(user!).takeUnretainedValue()
        }
    }
}
