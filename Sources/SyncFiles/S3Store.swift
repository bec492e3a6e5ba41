import Crypto
import Foundation
import NIOCore
import NIOHTTP1
package import SyncProtocol
package import SyncStore

/// Keeps files as objects of an S3 bucket: `files/ab/abcd….random` each, and what is being received below `uploads`.
///
/// An object appears when all of its bytes are there, and S3 tells of it in every request after that. So what `keep`
/// and `sync` have returned is safe, and every server on the database has it. What is received is spooled to this
/// machine's disk first, in a file that goes with the process.
package struct S3Store: FileStore {
    /// What a key has before the place of a file, and before the name of an unfinished one.
    private static let kept = "files/"
    private static let unfinished = "uploads/"

    private let client: S3Client
    /// Where files are spooled.
    private let spool: String

    /// `spool` is a folder for temporary files; without one, the system's.
    package init(_ bucket: S3Bucket, spool: String? = nil) {
        self.init(
            S3Client(bucket), spool: spool ?? FileManager.default.temporaryDirectory.path(percentEncoded: false))
    }

    init(_ client: S3Client, spool: String) {
        self.client = client
        self.spool = spool
    }

    package func begin() async throws -> any NewFile {
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        return try await S3Upload(named: name, in: self, spool: spool)
    }

    package func open(_ place: String) async throws -> any OpenFile {
        guard let size = try await size(of: place) else {
            throw FileStoreError.missing("\(client.bucket.name) has no \(place)")
        }
        return S3Reader([S3Reader.Piece(key: Self.key(of: place), start: 0, size: size)], client)
    }

    package func size(of place: String) async throws -> Int64? {
        let request = S3Request(method: "HEAD", key: Self.key(of: place))
        let answer = try await client.send(request, accepting: [200, 404])
        guard answer.status == 200 else {
            // This has no body, so it may be the bucket that is missing. Then this throws.
            try await visit(Self.key(of: place)) { _ in }
            return nil
        }
        return answer.headers.first(name: "content-length").flatMap { Int64($0) }
    }

    package func remove(_ place: String) async throws { try await delete(Self.key(of: place)) }

    package func visitPlaces(keptBefore date: Instant, _ body: ([String]) async throws -> Void) async throws {
        try await visit(Self.kept) { objects in
            let old = objects.filter { $0.changed < date }.map { String($0.key.dropFirst(Self.kept.utf8.count)) }
            if !old.isEmpty { try await body(old) }
        }
    }

    package func openUnfinished(_ name: String) async throws -> any OpenFile {
        S3Reader(try await pieces(of: name), client)
    }

    package func size(ofUnfinished name: String) async throws -> Int64? {
        let pieces = try await pieces(of: name)
        return pieces.isEmpty ? nil : pieces.reduce(0) { $0 + $1.size }
    }

    package func removeUnfinished(_ name: String) async throws {
        try await visit(Self.unfinished + name + "/") { objects in
            for object in objects { try await delete(object.key) }
        }
    }

    /// Also ends what was begun to be kept before the time, and was not.
    package func unfinished(before date: Instant) async throws -> [String] {
        try await endOldUploads(before: date)
        var newest: [String: Instant] = [:]
        try await visit(Self.unfinished) { objects in
            for object in objects {
                let name = object.key.split(separator: "/").dropLast().last.map(String.init) ?? ""
                newest[name] = max(object.changed, newest[name] ?? object.changed)
            }
        }
        return newest.filter { $0.value < date }.keys.sorted()
    }
}

// MARK: Objects

extension S3Store {
    /// An object as a list tells of it.
    struct Object: Sendable {
        /// Without the prefix of the store.
        let key: String
        let size: Int64
        let changed: Instant
    }

    static func key(of place: String) -> String { kept + place }

    /// The key of a piece of an unfinished file. A request that came too late has a key of its own. Keys sort like the
    /// places of their first bytes.
    static func key(ofUnfinished name: String, _ range: Range<Int64>) -> String {
        unfinished + name + "/" + padded(range.lowerBound) + "-" + padded(range.upperBound)
    }

    private static func padded(_ offset: Int64) -> String {
        let digits = String(offset)
        return String(repeating: "0", count: max(0, 15 - digits.count)) + digits
    }

    /// What was made safe of an unfinished file, as far as it goes on without a gap.
    private func pieces(of name: String) async throws -> [S3Reader.Piece] {
        var pieces: [S3Reader.Piece] = []
        var end: Int64 = 0
        try await visit(Self.unfinished + name + "/") { objects in
            for object in objects {
                // Of those that begin in one place, the longest comes last.
                if let last = pieces.last,
                    object.key == Self.key(ofUnfinished: name, last.start..<last.start + object.size)
                {
                    end = last.start
                    pieces.removeLast()
                }
                guard object.key == Self.key(ofUnfinished: name, end..<end + object.size) else { continue }
                pieces.append(S3Reader.Piece(key: object.key, start: end, size: object.size))
                end += object.size
            }
        }
        return pieces
    }

    /// The sizes of the files whose places begin so, by place.
    func files(_ prefix: String) async throws -> [String: Int64] {
        var files: [String: Int64] = [:]
        try await visit(Self.kept + prefix) { objects in
            for object in objects { files[String(object.key.dropFirst(Self.kept.utf8.count))] = object.size }
        }
        return files
    }

    /// The SHA-256 of a kept file; nil if it is not there.
    func digest(of file: StoredFile) async throws -> String? {
        guard let size = try await size(of: file.place) else { return nil }
        let reader = S3Reader([S3Reader.Piece(key: Self.key(of: file.place), start: 0, size: size)], client)
        var hash = SHA256()
        var offset: Int64 = 0
        while offset < size {
            let bytes = try await reader.read(offset..<size)
            bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
            offset += Int64(bytes.readableBytes)
        }
        return Array(hash.finalize()).hex
    }

    func delete(_ key: String) async throws {
        _ = try await client.send(S3Request(method: "DELETE", key: key), accepting: [200, 204, 404])
    }

    /// Stores an object whose bytes have this SHA-256.
    func put(_ body: S3Client.Body, as key: String, digest: String) async throws {
        var request = S3Request(method: "PUT", key: key)
        request.payload = digest
        _ = try await client.send(request, body)
    }

    /// Calls `body` with the objects whose keys begin so, sorted by key, at most a thousand at a time.
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
    func visit(_ prefix: String, _ body: ([Object]) async throws -> Void) async throws {
        var request = S3Request(method: "GET", key: nil)
        let query = [(name: "list-type", value: "2"), (name: "prefix", value: client.bucket.prefix + prefix)]
        request.query = query
        while true {
            let elements = XMLElements(try await client.send(request).body.readableBytesView)
            guard elements.isWhole else {
                throw FileStoreError.failed("\(client.bucket.name): the list of objects is no XML.")
            }
            try await body(elements.groups(ending: "Contents").compactMap(object))
            guard elements.first("IsTruncated") == "true", let next = elements.first("NextContinuationToken") else {
                return
            }
            request.query = query + [(name: "continuation-token", value: next)]
        }
    }

    private func object(_ group: [String: String]) -> Object? {
        guard let key = group["Key"], key.hasPrefix(client.bucket.prefix), let size = group["Size"].flatMap(Int64.init),
            let changed = group["LastModified"].flatMap({ Instant($0) })
        else { return nil }
        return Object(key: String(key.dropFirst(client.bucket.prefix.count)), size: size, changed: changed)
    }
}

// MARK: Objects of several parts

extension S3Store {
    /// A part of an object: where it is in the file, and its SHA-256.
    struct Part: Sendable {
        let range: Range<Int64>
        let digest: String
    }

    /// Stores an object in parts. If that fails, what was stored is removed, now or by the sweep.
    /// https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
    func put(_ parts: [Part], of file: S3Spool, as key: String) async throws {
        var request = S3Request(method: "POST", key: key)
        request.query = [(name: "uploads", value: "")]
        let begun = XMLElements(try await client.send(request).body.readableBytesView)
        guard let id = begun.first("UploadId") else {
            throw FileStoreError.failed("\(client.bucket.name): no upload was begun.")
        }
        do {
            var tags: [String] = []
            for (number, part) in parts.enumerated() {
                var request = S3Request(method: "PUT", key: key)
                request.query = [(name: "partNumber", value: "\(number + 1)"), (name: "uploadId", value: id)]
                request.payload = part.digest
                let answer = try await client.send(request, file.body(part.range))
                guard let tag = answer.headers.first(name: "etag") else {
                    throw FileStoreError.failed("\(client.bucket.name): a part has no ETag.")
                }
                tags.append(tag)
            }
            try await complete(id, of: key, tags)
        } catch {
            await Task { try? await end(id, of: key) }.value
            throw error
        }
    }

    /// The answer may have status 200 and be an error.
    private func complete(_ id: String, of key: String, _ tags: [String]) async throws {
        let parts = tags.enumerated().map { number, tag in
            let tag = tag.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            return "<Part><PartNumber>\(number + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
        }
        let text = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
        let bytes = ByteBuffer(string: text)
        var request = S3Request(method: "POST", key: key)
        request.query = [(name: "uploadId", value: id)]
        request.headers = [(name: "Content-Type", value: "application/xml")]
        request.payload = S3Request.digest(of: bytes)
        let body = S3Client.Body(length: Int64(bytes.readableBytes)) { offset, count in
            bytes.getSlice(at: Int(offset), length: count) ?? ByteBuffer()
        }
        for isLastTry in [false, true] {
            let answer = try await client.send(request, body, accepting: [200, 404])
            if XMLElements(answer.body.readableBytesView).first("ETag") != nil { return }
            // A second try finds no upload, if only the answer to the first was lost.
            let place = S3Request(method: "HEAD", key: key)
            if answer.status == 404, try await client.send(place, accepting: [200, 404]).status == 200 { return }
            if isLastTry || answer.status == 404 { throw S3Error(answer).asStoreError(request, at: client.bucket) }
        }
    }

    private func end(_ id: String, of key: String) async throws {
        var request = S3Request(method: "DELETE", key: key)
        request.query = [(name: "uploadId", value: id)]
        _ = try await client.send(request, accepting: [200, 204, 404])
    }

    /// Ends uploads of several parts that were begun before the time, a thousand in a call.
    private func endOldUploads(before date: Instant) async throws {
        var request = S3Request(method: "GET", key: nil)
        request.query = [
            (name: "uploads", value: ""), (name: "prefix", value: client.bucket.prefix + Self.kept),
        ]
        let elements = XMLElements(try await client.send(request).body.readableBytesView)
        for upload in elements.groups(ending: "Upload") {
            guard let key = upload["Key"], let id = upload["UploadId"], key.hasPrefix(client.bucket.prefix),
                let begun = upload["Initiated"].flatMap({ Instant($0) }), begun < date
            else { continue }
            try await end(id, of: String(key.dropFirst(client.bucket.prefix.count)))
        }
    }
}
