import HTTPTypes
package import Hummingbird
import HummingbirdCore
import SyncProtocol
package import SyncStore

/// The query parameters of a request, each read by its own rule.
package struct Query {
    /// There are only a few, so a linear search is faster than any table.
    private(set) var values: [(name: Substring, value: Substring)] = []

    private static let limit = 64

    /// Throws `invalid_parameter` for too many parameters, and for one that is given twice with different values.
    package init(_ request: Request) throws {
        let parameters = Query.parameters(of: request.uri)
        guard parameters.count <= Query.limit else {
            throw Problem(.invalidParameter, "There are more than \(Query.limit) query parameters.")
        }
        for (name, value) in parameters {
            if let before = values.first(where: { $0.name == name }) {
                guard before.value == value else {
                    throw Problem(.invalidParameter, "A query parameter is given twice, with different values.")
                }
            } else {
                values.append((name, value))
            }
        }
    }

    /// The decoded parameters. A `+` is a space, as in forms and as `URLSearchParams`
    /// writes it: https://url.spec.whatwg.org/#concept-urlencoded-parser
    private static func parameters(of uri: URI) -> FlatDictionary<Substring, Substring> {
        guard let query = uri.query, query.utf8.contains(UInt8(ascii: "+")) else { return uri.queryParameters }
        return URI("/?" + query.replacing("+", with: "%20")).queryParameters
    }

    package func text(_ name: String) -> String? { values.first { $0.name == name }.map { String($0.value) } }

    /// `since`: an integer from 0 to 2^53 - 1; 0 if absent. Throws `invalid_since`.
    func since() throws -> SyncSeq {
        guard let text = text("since") else { return .zero }
        guard let since = Query.commit(text) else {
            throw Problem(
                .invalidSince, "since must be an integer from 0 to 2^53 - 1: the timestamp of the last drain.")
        }
        return since
    }

    /// An integer from 0 to 2^53 - 1; nil for other texts.
    static func commit(_ text: String) -> SyncSeq? {
        SyncSeq(decimal: text)
    }

    /// `page_size`: a number, clamped to 1 to `maximum`. Throws `invalid_page_size`.
    func pageSize(default fallback: Int, maximum: Int) throws -> Int {
        guard let text = text("page_size") else { return min(fallback, maximum) }
        guard let number = Query.number(text) else {
            throw Problem(.invalidPageSize, "page_size must be a number from 1 to \(maximum).")
        }
        return Int(min(max(number, 1), Double(maximum)))
    }

    /// `limit`: an integer from 1. A number above `maximum` counts as `maximum`. Throws `invalid_parameter`.
    package func limit(default fallback: Int, maximum: Int) throws -> Int {
        guard let text = text("limit") else { return fallback }
        guard let number = Query.integer(text), number >= 1 else {
            throw Problem(.invalidParameter, "limit must be a number from 1 to \(maximum).")
        }
        return Int(min(number, Int64(maximum)))
    }

    /// `after`: the `next` of the previous page; the start if absent or empty. Throws `invalid_parameter`.
    package func creationPosition() throws -> CreationPosition {
        guard let text = text("after"), !text.isEmpty else { return .start }
        guard let position = CreationPosition(text) else {
            throw Problem(.invalidParameter, "after takes the next of the previous page, unchanged.")
        }
        return position
    }

    /// A finite number as JSON writes it; leading zeros are allowed. There is no regular
    /// expression here, because Swift's took longer than the page that was asked for.
    private static func number(_ text: String) -> Double? {
        if let whole = integer(text) { return Double(whole) }
        return DecimalScan.matches(text) ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
    }

    /// Only digits: no sign, no space.
    private static func integer(_ text: String) -> Int64? {
        text.utf8.allSatisfy(\.isASCIIDigit) ? Int64(text) : nil
    }
}

/// Matches a text as `-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?` does, byte by byte. `Double` alone accepts more than that.
private struct DecimalScan {
    private var rest: Substring.UTF8View

    static func matches(_ text: String) -> Bool {
        var scan = DecimalScan(rest: text[...].utf8)
        _ = scan.take("-")
        guard scan.digits() else { return false }
        if scan.take(".") { guard scan.digits() else { return false } }
        if scan.take("eE") {
            _ = scan.take("+-")
            guard scan.digits() else { return false }
        }
        return scan.rest.isEmpty
    }

    /// Takes one of `bytes` if it comes next, and returns whether it did.
    private mutating func take(_ bytes: String) -> Bool {
        guard let first = rest.first, bytes.utf8.contains(first) else { return false }
        rest.removeFirst()
        return true
    }

    /// Takes the digits that come next, and returns whether there was at least one.
    private mutating func digits() -> Bool {
        let count = rest.prefix(while: \.isASCIIDigit).count
        rest.removeFirst(count)
        return count > 0
    }
}
