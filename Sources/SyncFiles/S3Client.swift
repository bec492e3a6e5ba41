import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import SyncStore

/// Makes requests to a bucket. Those that may succeed later are repeated a few times.
struct S3Client: Sendable {
    /// An answer, with its body as far as it was read.
    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: ByteBuffer
    }

    /// The bytes of a request. They can be read again, for another try.
    struct Body: Sendable {
        let length: Int64
        /// Reads from an offset, at most so many bytes.
        let read: @Sendable (_ offset: Int64, _ count: Int) async throws -> ByteBuffer
    }

    /// How often a request is tried.
    private static let tries = 4
    /// The most bytes of an answer.
    private static let largest = 16 << 20
    /// The fewest bytes that have to come or go in a second, besides the time for an answer.
    private static let slowest: Int64 = 128 << 10
    private static let portion = 128 << 10

    /// One for all stores of the process. It is never shut down, like `HTTPClient.shared`, and does not follow
    /// redirects: a signature is for one host.
    private static let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)

    private static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = .init(connect: .seconds(10), read: .seconds(60))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 32
        configuration.httpVersion = .http1Only
        return configuration
    }

    let bucket: S3Bucket
    private let wait: @Sendable (Duration) async throws -> Void

    init(
        _ bucket: S3Bucket,
        wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.bucket = bucket
        self.wait = wait
    }

    /// Returns an answer with one of these statuses. Throws `FileStoreError` for all others, and if there is none.
    func send(
        _ request: S3Request, _ body: Body? = nil, accepting statuses: Set<Int> = [200]
    ) async throws -> Answer {
        var failure = "no answer"
        for attempt in 1...Self.tries {
            do {
                let answer = try await exchange(request, body)
                if statuses.contains(answer.status) { return answer }
                let error = S3Error(answer)
                guard error.isTransient else { throw error.asStoreError(request, at: bucket) }
                failure = error.description
            } catch let error as FileStoreError {
                throw error
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                try Task.checkCancellation()
                failure = "\(error)"
            }
            if attempt < Self.tries { try await wait(.milliseconds(100 << (2 * attempt))) }
        }
        throw FileStoreError.failed("\(bucket.name): \(request.method) failed \(Self.tries) times: \(failure)")
    }

    private func exchange(_ request: S3Request, _ body: Body?) async throws -> Answer {
        let host = bucket.origin.split(separator: "/").last.map(String.init) ?? ""
        var outgoing = HTTPClientRequest(url: bucket.origin + request.target(at: bucket))
        outgoing.method = HTTPMethod(rawValue: request.method)
        for (name, value) in request.signedHeaders(at: bucket, host: host, date: Date()) {
            outgoing.headers.add(name: name, value: value)
        }
        if let body {
            outgoing.body = .stream(S3Chunks(body: body, portion: Self.portion), length: .known(body.length))
        }
        let time = TimeAmount.seconds(60 + (body?.length ?? 0) / Self.slowest)
        let answer = try await Self.http.execute(outgoing, timeout: time)
        let bytes = request.method == "HEAD" ? ByteBuffer() : try await answer.body.collect(upTo: Self.largest)
        return Answer(status: Int(answer.status.code), headers: answer.headers, body: bytes)
    }
}

/// The bytes of a body, one portion after another.
private struct S3Chunks: AsyncSequence, Sendable {
    let body: S3Client.Body
    let portion: Int

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

    struct Iterator: AsyncIteratorProtocol {
        let chunks: S3Chunks
        var offset: Int64 = 0

        mutating func next() async throws -> ByteBuffer? {
            let left = chunks.body.length - offset
            guard left > 0 else { return nil }
            let count = Swift.min(left, Int64(chunks.portion))
            let bytes = try await chunks.body.read(offset, Int(count))
            offset += Int64(bytes.readableBytes)
            return bytes
        }
    }
}

/// What an S3 service says that went wrong. https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
struct S3Error: CustomStringConvertible {
    let status: Int
    let code: String
    let description: String

    init(_ answer: S3Client.Answer) {
        let elements = XMLElements(answer.body.readableBytesView)
        status = answer.status
        code = elements.first("Code") ?? ""
        let message = elements.first("Message").map { " (\($0.prefix(200)))" } ?? ""
        description = "status \(status)" + (code.isEmpty ? "" : ", \(code)") + message
    }

    var isTransient: Bool { status >= 500 && status != 507 || status == 429 || status == 408 || code == "SlowDown" }

    func asStoreError(_ request: S3Request, at bucket: S3Bucket) -> FileStoreError {
        if status == 507 || ["QuotaExceeded", "XMinioStorageFull"].contains(code) { return .full }
        if status == 404, code != "NoSuchBucket" { return .missing("\(bucket.name) has no \(request.key ?? "")") }
        return .failed("\(bucket.name): \(request.method) was refused: \(description)")
    }
}
