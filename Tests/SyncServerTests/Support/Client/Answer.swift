import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import SyncProtocol

/// What came back over the socket.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: Data

    /// The document; `null` if the body is not JSON.
    var json: JSON { (try? JSON(parsing: body)) ?? .null }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// `code` of a problem document.
    var code: String? { json["code"]?.string }

    /// The value at an RFC 6901 pointer.
    func at(_ pointer: String) -> JSON? { json.at(pointer) }

    func header(_ name: String) -> String? { headers[name].first }

    /// The entries of `errors` as `pointer code`, so a test can name them all in one line.
    var errors: [String] {
        (json["errors"]?.array ?? []).map { "\($0["pointer"]?.string ?? "") \($0["code"]?.string ?? "")" }
    }
}

extension JSON {
    /// The value at an RFC 6901 pointer without escapes; nil if there is none.
    func at(_ pointer: String) -> JSON? {
        pointer.split(separator: "/").reduce(self as JSON?) { value, token in
            switch value {
            case .object(let members): members[String(token)]
            case .array(let elements): Int(token).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            default: nil
            }
        }
    }

    /// The strings of an array.
    var strings: [String] { (array ?? []).compactMap(\.string) }
}

extension JSON {
    var data: Data { Data(text.utf8) }
}
