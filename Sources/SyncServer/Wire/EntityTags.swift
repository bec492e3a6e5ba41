import HTTPTypes
import Hummingbird

/// A header's list of entity tags, or `*` (RFC 9110 section 8.8.3).
enum EntityTags {
    /// The entries of the header, without the spaces around them and without empty ones.
    static func list(_ header: String) -> [Substring] {
        header.split(separator: ",").map { $0.trimming(while: \.isWhitespace) }.filter { !$0.isEmpty }
    }

    /// Whether it is `"…"` or `W/"…"`.
    static func isTag(_ text: Substring) -> Bool {
        let quoted = text.hasPrefix("W/") ? text.dropFirst(2).utf8 : text.utf8
        let quote = UInt8(ascii: "\"")
        return quoted.count >= 2 && quoted.first == quote && quoted.last == quote
            && !quoted.dropFirst().dropLast().contains(quote)
    }
}

extension Request {
    /// Whether `If-None-Match` names the tag, by weak comparison (RFC 9110 section 13.1.2).
    func knows(_ tag: String) -> Bool {
        let opaque = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
        return EntityTags.list(headers[.ifNoneMatch] ?? "").contains {
            $0 == "*" || $0 == opaque || $0 == "W/" + opaque
        }
    }
}

extension Substring {
    /// The text without the characters at both ends that satisfy the condition.
    func trimming(while isTrimmed: (Character) -> Bool) -> Substring {
        var text = drop(while: isTrimmed)
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return text
    }
}
