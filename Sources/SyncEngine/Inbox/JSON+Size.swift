import SyncProtocol

extension JSON {
    /// About as many bytes as the value's text has.
    var roughBytes: Int {
        switch self {
        case .null, .bool: 4
        case .int, .double: 12
        case .string(let text): text.utf8.count + 2
        case .array(let elements): elements.reduce(2) { $0 + $1.roughBytes + 1 }
        case .object(let members): members.reduce(2) { $0 + $1.key.utf8.count + $1.value.roughBytes + 4 }
        }
    }

    /// The value if it fits into about as many bytes; otherwise its first part: of a text its beginning, of a list its
    /// first elements, of an object its small members and the beginning of a long text. Nothing nested is walked twice.
    func firstPart(_ bytes: Int) -> JSON {
        guard roughBytes > bytes else { return self }
        var left = bytes
        switch self {
        case .string(let text): return .string(text.firstPart(bytes))
        case .array(let elements):
            return .array(
                Array(
                    elements.prefix { element in
                        left -= element.roughBytes + 1
                        return left >= 0
                    }))
        case .object(let members):
            var kept: [String: JSON] = [:]
            for (name, value, size) in JSON.smallestFirst(members) {
                left -= name.utf8.count + 4
                guard left > 0 else { break }
                if size > left {
                    kept[name] = value.string.map { .string($0.firstPart(left)) }
                    break
                }
                left -= size
                kept[name] = value
            }
            return .object(kept)
        case .null, .bool, .int, .double: return self
        }
    }

    /// Ids and names come before long texts.
    private static func smallestFirst(_ members: [String: JSON]) -> [(name: String, value: JSON, size: Int)] {
        members.map { (name: $0, value: $1, size: $1.roughBytes) }.sorted { ($0.size, $0.name) < ($1.size, $1.name) }
    }
}

extension String {
    /// The first characters that fit into so many bytes.
    fileprivate func firstPart(_ bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var part = Array(utf8.prefix(max(0, bytes)))
        // The last character may be cut in two: its first byte is the only one that does not begin with the bits 10.
        while let last = part.last, last & 0xC0 == 0x80 { part.removeLast() }
        if let last = part.last, last & 0x80 != 0 { part.removeLast() }
        return String(decoding: part, as: UTF8.self)
    }
}
