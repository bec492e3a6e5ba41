import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import SyncProtocol
import Synchronization

@testable import SyncFiles

/// A service that keeps the objects of one bucket in memory, with lists of at most three entries. Requests may fail.
final class FakeBucket: Sendable {
    /// What happens to a request.
    enum Fault: Sendable {
        /// It is refused, with this status.
        case refused(Int)
        /// It is done, and the answer says that it failed.
        case answerLost
    }

    private struct State {
        var objects: [String: (bytes: Data, at: SyncProtocol.Instant)] = [:]
        var uploads: [String: (key: String, parts: [Int: Data])] = [:]
        var now = SyncProtocol.Instant(milliseconds: 1_780_000_000_000)
        var fault: @Sendable (String) -> Fault? = { _ in nil }
        var requests: [String] = []
    }

    private let state = Mutex(State())
    private let group = Mutex<ServiceGroup?>(nil)
    private let address = Mutex("")

    /// Method, path and query of each request.
    var requests: [String] { state.withLock(\.requests) }
    /// The keys of all objects, and of uploads that were begun and not ended.
    var keys: [String] { state.withLock { $0.objects.keys.sorted() } }
    var uploads: Int { state.withLock(\.uploads.count) }
    var now: SyncProtocol.Instant { state.withLock(\.now) }

    init() async throws {
        let (ports, opened) = AsyncStream.makeStream(of: Int.self)
        let responder = CallbackResponder<BasicRequestContext> { [self] request, _ in try await respond(to: request) }
        let application = Application(
            responder: responder, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { opened.yield($0.localAddress?.port ?? 0) }, logger: Logger(label: "bucket"))
        let group = ServiceGroup(configuration: .init(services: [application], logger: .silent))
        self.group.withLock { $0 = group }
        Task { try? await group.run() }
        guard let port = await ports.first(where: { _ in true }) else { throw CancellationError() }
        address.withLock { $0 = "http://127.0.0.1:\(port)" }
    }

    deinit { Task { [group = group.withLock(\.self)] in await group?.triggerGracefulShutdown() } }

    func setFault(_ fault: @escaping @Sendable (String) -> Fault?) { state.withLock { $0.fault = fault } }

    func advance(by duration: Duration) { state.withLock { $0.now = $0.now.advanced(by: duration) } }

    /// The bytes of the object.
    func bytes(_ key: String) -> Data? { state.withLock { $0.objects[key]?.bytes } }

    /// A store in this bucket, which waits for nothing between two tries.
    func store(in folder: String) throws -> S3Store { S3Store(S3Client(try place) { _ in }, spool: folder) }

    var place: S3Bucket {
        get throws {
            let variables = [
                "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_ENDPOINT_URL": address.withLock(\.self),
            ]
            return try S3Bucket("s3://files/some/where") { variables[$0] }
        }
    }

    private func respond(to request: Request) async throws -> Response {
        let body = Data(try await request.body.collect(upTo: 64 << 20).readableBytesView)
        let line = "\(request.method.rawValue) \(request.uri.description)"
        let fault = state.withLock { state in
            state.requests.append(line)
            return state.fault(line)
        }
        if case .refused(let status) = fault { return Self.answer(status, "<Error><Code>Told</Code></Error>") }
        let headers = request.headers
        let digest = HTTPField.Name("x-amz-content-sha256").flatMap { headers[$0] }
        guard digest == Array(SHA256.hash(data: body)).hex, headers[.authorization]?.hasPrefix("AWS4-HMAC") == true
        else { return Self.answer(400, "<Error><Code>XAmzContentSHA256Mismatch</Code></Error>") }
        let key = request.uri.path.split(separator: "/").dropFirst().joined(separator: "/")
        let query = Dictionary(
            request.uri.queryParameters.map { (String($0.key), String($0.value)) },
            uniquingKeysWith: { first, _ in first })
        let answer = state.withLock { Self.done(request, key.removingPercentEncoding ?? key, query, body, &$0) }
        if case .answerLost = fault { return Self.answer(500, "<Error><Code>InternalError</Code></Error>") }
        return answer
    }

    private static func done(
        _ request: Request, _ key: String, _ query: [String: String], _ body: Data, _ state: inout State
    ) -> Response {
        if let id = query["uploadId"] { return part(of: id, request, key, query, body, &state) }
        switch request.method {
        case .put:
            state.objects[key] = (body, state.now)
            return answer(200, "", ["ETag": "\"\(body.count)\""])
        case .delete:
            state.objects[key] = nil
            return answer(204, "")
        case .post where query["uploads"] != nil:
            let id = "u\(state.requests.count)"
            state.uploads[id] = (key, [:])
            return answer(
                200, "<InitiateMultipartUploadResult><UploadId>\(id)</UploadId></InitiateMultipartUploadResult>")
        case .get where query["uploads"] != nil: return list(uploads: state)
        case .get where query["list-type"] != nil: return list(query, state)
        case .head, .get: return object(request, state.objects[key]?.bytes)
        default: return answer(400, "")
        }
    }

    private static func part(
        of id: String, _ request: Request, _ key: String, _ query: [String: String], _ body: Data,
        _ state: inout State
    ) -> Response {
        guard let upload = state.uploads[id] else { return answer(404, "<Error><Code>NoSuchUpload</Code></Error>") }
        switch request.method {
        case .put:
            state.uploads[id]?.parts[Int(query["partNumber"] ?? "") ?? 0] = body
            return answer(200, "", ["ETag": "\"\(body.count)\""])
        case .post:
            let numbers = XMLElements(body).groups(ending: "Part").compactMap { $0["PartNumber"].flatMap { Int($0) } }
            state.objects[upload.key] = (numbers.reduce(Data()) { $0 + (upload.parts[$1] ?? Data()) }, state.now)
            state.uploads[id] = nil
            return answer(200, "<CompleteMultipartUploadResult><ETag>\"x\"</ETag></CompleteMultipartUploadResult>")
        default:
            state.uploads[id] = nil
            return answer(204, "")
        }
    }

    private static func object(_ request: Request, _ bytes: Data?) -> Response {
        guard let bytes else { return answer(404, "<Error><Code>NoSuchKey</Code></Error>") }
        guard let range = request.headers[.range]?.dropFirst("bytes=".count).split(separator: "-"),
            let first = Int(range[0]), let last = Int(range[1])
        else {
            return Response(
                status: .ok, headers: [.contentLength: "\(bytes.count)"],
                body: request.method == .head ? .init() : .init(byteBuffer: ByteBuffer(bytes: bytes)))
        }
        return Response(status: .partialContent, body: .init(byteBuffer: ByteBuffer(bytes: bytes[first...last])))
    }

    private static func list(_ query: [String: String], _ state: State) -> Response {
        let after = query["continuation-token"] ?? ""
        let keys = state.objects.keys.sorted().filter { $0.hasPrefix(query["prefix"] ?? "") && $0 > after }
        let shown = keys.prefix(3)
        let contents = shown.map { key in
            let object = state.objects[key]!
            return "<Contents><Key>\(key)</Key><LastModified>\(object.at.text)</LastModified>"
                + "<Size>\(object.bytes.count)</Size></Contents>"
        }
        let next = keys.count > 3 ? "<NextContinuationToken>\(shown.last ?? "")</NextContinuationToken>" : ""
        return answer(
            200,
            "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><IsTruncated>\(keys.count > 3)"
                + "</IsTruncated>\(contents.joined())\(next)</ListBucketResult>")
    }

    private static func list(uploads state: State) -> Response {
        let uploads = state.uploads.map { id, upload in
            "<Upload><Key>\(upload.key)</Key><UploadId>\(id)</UploadId>"
                + "<Initiated>2026-05-01T00:00:00.000Z</Initiated></Upload>"
        }
        return answer(200, "<ListMultipartUploadsResult>\(uploads.joined())</ListMultipartUploadsResult>")
    }

    private static func answer(_ status: Int, _ xml: String, _ headers: [String: String] = [:]) -> Response {
        var fields = HTTPFields()
        for (name, value) in headers { if let name = HTTPField.Name(name) { fields[name] = value } }
        return Response(
            status: .init(code: status), headers: fields, body: .init(byteBuffer: ByteBuffer(string: xml)))
    }
}
