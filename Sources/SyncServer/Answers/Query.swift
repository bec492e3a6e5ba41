import HTTPTypes
package import Hummingbird
import HummingbirdCore
import SyncEngine
import SyncProtocol
import SyncSchema
package import SyncStore
import SyncValues

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

/// The parameters of lists.
extension Query {
    /// Throws `invalid_parameter` with every parameter that is not one of `names`.
    func refuseOthers(than names: [String]) throws {
        let unknown = values.map { String($0.name) }.filter { !names.contains($0) }
        guard !unknown.isEmpty else { return }
        let known = names.isEmpty ? "There are none." : "There are: \(names.joined(separator: ", "))."
        throw Problem(parameters: unknown.map { ($0, "There is no parameter \($0) here. \(known)") })
    }

    /// The filters and `sort` of a list. Other parameters are ignored. Throws `invalid_parameter`.
    func listQuery(of collection: Collection) throws -> ListQuery {
        var query = ListQuery(collection)
        for field in collection.listFields {
            guard let text = text(field.name) else { continue }
            do throws(Violation) {
                try query.filter(field, by: text)
            } catch {
                throw Problem(parameter: field.name, in: collection, error)
            }
        }
        for key in try sortKeys(collection) { query.sort(by: key.field, isDescending: key.isDescending) }
        return query
    }

    /// `after`: the `next` of the previous page of a list with the same filters
    /// and the same sort; nil if absent or empty. Throws `invalid_parameter`.
    func place(in query: ListQuery) throws -> ListPlace? {
        guard let text = text("after"), !text.isEmpty else { return nil }
        guard let place = ListPlace(text, in: query) else {
            throw Problem(parameters: [
                ("after", "after takes the next of the previous page, with the same filters and the same sort.")
            ])
        }
        return place
    }

    private func sortKeys(_ collection: Collection) throws -> [(field: Field, isDescending: Bool)] {
        guard let list = text("sort") else { return [] }
        let fields = collection.listFields
        let keys = try list.split(separator: ",", omittingEmptySubsequences: false).map { word in
            let isDescending = word.utf8.first == UInt8(ascii: "-")
            let name = isDescending ? word.dropFirst() : word
            guard let field = fields.first(where: { $0.name == name }) else { throw Query.badSort(fields) }
            return (field, isDescending)
        }
        let names = Set(keys.map(\.0.name))
        guard names.count == keys.count, keys.count <= ListQuery.maximumKeys else { throw Query.badSort(fields) }
        return keys
    }

    private static func badSort(_ fields: [Field]) -> Problem {
        let rule =
            "sort takes up to \(ListQuery.maximumKeys) different fields, separated by commas; "
            + "a leading - sorts descending"
        return Problem(parameters: [("sort", "\(rule). There are: \(fields.map(\.name).joined(separator: ", ")).")])
    }
}

extension Problem {
    /// `invalid_parameter`, with an entry for each parameter and what is wrong with it.
    fileprivate init(parameters: [(name: String, detail: String)]) {
        let errors = parameters.map { name, detail in
            RowProblem(
                pointer: Problem.pointer(to: name), collection: "", id: nil, code: .invalidParameter, detail: detail)
        }
        self.init(.invalidParameter, errors[0].detail, errors: errors)
    }

    fileprivate init(parameter name: String, in collection: Collection, _ violation: Violation) {
        let error = RowProblem(
            pointer: Problem.pointer(to: name), collection: collection.name, id: nil, field: name,
            code: violation.code, detail: "\(name) \(violation.detail).")
        self.init(.invalidParameter, error.detail, errors: [error])
    }

    /// A JSON Pointer (RFC 6901) into the query's parameters.
    private static func pointer(to name: String) -> String {
        "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}
