import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol

/// The headers of requests for single rows.
enum ItemHeaders {
    /// `If-Match` (RFC 9110 section 13.1.1), or `X-Base-Version`,
    /// which has the version as a number. Throws `invalid_header`.
    static func precondition(_ request: Request) throws -> Precondition {
        if let header = request.headers[.ifMatch] { return try versions(in: header) }
        guard let header = request.headers[.baseVersion] else { return .none }
        guard let version = Int64(header), version > 0 else {
            throw Problem(.invalidHeader, "X-Base-Version must be the row's server_version.")
        }
        return .versions([version])
    }

    /// `Idempotency-Key`: 1 to 255 visible ASCII characters. Throws `invalid_header`.
    static func idempotencyKey(_ request: Request) throws -> String? {
        guard let key = request.headers[.idempotencyKey] else { return nil }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(.invalidHeader, "Idempotency-Key must have 1 to 255 visible ASCII characters.")
        }
        return key
    }

    /// A weak tag matches nothing here, because section 13.1.1 requires the strong comparison.
    private static func versions(in header: String) throws -> Precondition {
        let tags = EntityTags.list(header)
        if tags == ["*"] { return .none }
        guard !tags.isEmpty, tags.allSatisfy(EntityTags.isTag) else {
            throw Problem(.invalidHeader, "If-Match must be * or the ETag of the row, quotes included.")
        }
        // Compared byte for byte: "02" is not a tag of version 2.
        return .versions(Set(tags.compactMap(version)))
    }

    private static func version(_ tag: Substring) -> Int64? {
        Int64(tag.dropFirst().dropLast()).flatMap { "\"\($0)\"" == tag ? $0 : nil }
    }
}

extension Item {
    /// The row's entity tag (RFC 9110 section 8.8.3). The edit counter is a
    /// strong validator, because it changes with every change of content.
    var entityTag: String { "\"\(version)\"" }
}

extension HTTPField.Name {
    static let baseVersion = HTTPField.Name("X-Base-Version")!
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
}
