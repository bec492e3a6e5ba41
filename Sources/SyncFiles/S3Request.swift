import Crypto
import Foundation
import NIOCore
import SyncProtocol

/// A request of the S3 API, which can be signed.
struct S3Request: Sendable {
    let method: String
    /// The key of an object; nil for the bucket itself.
    let key: String?
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    /// The SHA-256 of the body, in hex.
    var payload = S3Request.nothing

    /// The SHA-256 of nothing.
    static let nothing = Array(SHA256.hash(data: Data())).hex
    /// What RFC 3986 calls unreserved.
    static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    /// The path and query at a bucket.
    func target(at bucket: S3Bucket) -> String {
        path(at: bucket) + (query.isEmpty ? "" : "?" + canonicalQuery)
    }

    private func path(at bucket: S3Bucket) -> String {
        let path = key.map { bucket.root + bucket.prefix + $0 } ?? bucket.root
        return path.split(separator: "/", omittingEmptySubsequences: false).map(Self.encoded).joined(separator: "/")
    }

    private var canonicalQuery: String {
        query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.sorted().joined(separator: "&")
    }

    private static func encoded(_ text: some StringProtocol) -> String {
        text.utf8.map { unreserved.contains($0) ? String(UnicodeScalar($0)) : "%" + [$0].hex.uppercased() }.joined()
    }

    /// All headers of the request, signed with version 4 of Amazon's signature.
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
    func signedHeaders(at bucket: S3Bucket, host: String, date: Date) -> [(name: String, value: String)] {
        let time = Self.time(date)
        let credentials = bucket.credentials
        var all = headers.map { (name: $0.name.lowercased(), value: $0.value) }
        all += [("host", host), ("x-amz-content-sha256", payload), ("x-amz-date", time)]
        if let token = credentials.sessionToken { all.append(("x-amz-security-token", token)) }
        all.sort { $0.name < $1.name }
        let names = all.map(\.name).joined(separator: ";")
        let canonical = [
            method, path(at: bucket), canonicalQuery,
            all.map { "\($0.name):\($0.value.trimmingCharacters(in: .whitespaces))\n" }.joined(), names, payload,
        ].joined(separator: "\n")
        let scope = "\(time.prefix(8))/\(bucket.region)/s3/aws4_request"
        let text = ["AWS4-HMAC-SHA256", time, scope, Array(SHA256.hash(data: Data(canonical.utf8))).hex]
            .joined(separator: "\n")
        let key = ["\(time.prefix(8))", bucket.region, "s3", "aws4_request"]
            .reduce(Data("AWS4\(credentials.secretKey)".utf8)) { Self.code(of: $1, key: $0) }
        let signature = Array(Self.code(of: text, key: key)).hex
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), SignedHeaders=\(names), "
            + "Signature=\(signature)"
        return all + [("authorization", authorization)]
    }

    private static func code(of text: String, key: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: key)))
    }

    /// As in `20260601T120000Z`.
    private static func time(_ date: Date) -> String {
        let text = Instant(milliseconds: Int64(date.timeIntervalSince1970 * 1000)).text.prefix(19)
        return text.filter { $0 != "-" && $0 != ":" } + "Z"
    }
}

extension S3Request {
    /// The SHA-256 of a body, in hex.
    static func digest(of bytes: ByteBuffer) -> String {
        var hash = SHA256()
        bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        return Array(hash.finalize()).hex
    }
}
