import HTTPTypes
import Hummingbird
import SyncProtocol

/// Refuses a request that no route could handle, by its head alone: before authentication, and before a byte
/// of the body is read. It also sets up the `100 Continue` for a client that waits to be asked for its body.
struct RequestChecks: RouterMiddleware {
    /// The most bytes of a path with its query.
    static let maximumTargetBytes = 8 << 10
    /// The most bytes of the names and values of all headers.
    static let maximumHeaderBytes = 32 << 10

    func handle(
        _ request: Request, context: ServerContext, next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        try checkSize(request.head)
        try checkHost(request.head)
        try checkTransfer(request.headers)
        if !request.head.sendsFile { try checkLength(request.headers) }
        return try await next(request.inviting(on: context.channel), context)
    }

    private func checkSize(_ head: HTTPRequest) throws {
        guard head.path?.utf8.count ?? 0 <= Self.maximumTargetBytes else { throw Problem.uriTooLong }
        let bytes = head.headerFields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        guard bytes <= Self.maximumHeaderBytes else { throw Problem.headersTooLarge }
    }

    /// RFC 9112 section 3.2: a request has exactly one `Host`. The
    /// first one is the request's authority, any other one is a header.
    private func checkHost(_ head: HTTPRequest) throws {
        guard let host = head.authority, !host.isEmpty, host.utf8.allSatisfy(isOfHost),
            head.headerFields[.secondHost] == nil
        else { throw Problem.invalidHost }
    }

    private func isOfHost(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._~%:[]".utf8.contains(byte)
    }

    /// RFC 9112 section 6.1: nothing but chunks is unpacked.
    private func checkTransfer(_ headers: HTTPFields) throws {
        guard let coding = headers[.transferEncoding], coding.lowercased() != "chunked" else { return }
        throw Problem(
            .unsupportedTransferEncoding,
            "Transfer-Encoding may be chunked, and nothing else. Send the body uncompressed.")
    }

    /// The parser has checked that the length is a number. A number too large for `UInt64` is too large anyway.
    private func checkLength(_ headers: HTTPFields) throws {
        guard let length = headers[.contentLength] else { return }
        guard let bytes = UInt64(length), bytes <= JSONBody.maximumBytes else {
            throw Problem.bodyTooLarge(JSONBody.maximumBytes)
        }
    }
}

extension HTTPField.Name {
    fileprivate static let secondHost = HTTPField.Name("Host")!
}

extension Problem {
    fileprivate static let invalidHost = Problem(
        .invalidHost, "Send one Host header with the server's name, as every HTTP client and proxy does.")

    fileprivate static let uriTooLong = Problem(
        .uriTooLong, "The path and its query are longer than \(RequestChecks.maximumTargetBytes) bytes. Ask for less.",
        members: ["limit": .int(Int64(RequestChecks.maximumTargetBytes))])

    static let headersTooLarge = Problem(
        .headersTooLarge, "The headers are larger than \(RequestChecks.maximumHeaderBytes) bytes. Send fewer.",
        members: ["limit": .int(Int64(RequestChecks.maximumHeaderBytes))])
}
