import Crypto
import Foundation
import NIOCore
import SyncProtocol
import SyncStore
import SyncTestKit
import Synchronization
import SystemPackage
import Testing

@testable import SyncFiles

/// What both stores of files promise, and what an S3 service may do to one.
@Suite(.timeLimit(.minutes(10))) struct S3StoreTests {
    private let folder: TemporaryFolder
    private let bucket: FakeBucket
    private let store: S3Store

    init() async throws {
        folder = try TemporaryFolder()
        bucket = try await FakeBucket()
        store = try bucket.store(in: folder.path(""))
    }

    private static func bytes(_ count: Int) -> ByteBuffer {
        ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    }

    /// Keeps bytes that come in chunks.
    private func keep(_ bytes: ByteBuffer, as place: String, in store: any FileStore) async throws {
        let file = try await store.begin()
        var rest = bytes
        while let some = rest.readSlice(length: min(3_000_000, rest.readableBytes)), some.readableBytes > 0 {
            try await file.append(some)
        }
        try await file.keep(as: place)
    }

    private func all(_ file: any OpenFile, _ size: Int64) async throws -> ByteBuffer {
        var bytes = ByteBuffer()
        while Int64(bytes.readableBytes) < size {
            bytes.writeImmutableBuffer(try await file.read(Int64(bytes.readableBytes)..<size))
        }
        await file.close()
        return bytes
    }

    // MARK: What each store promises

    @Test(arguments: [true, false]) func aKeptFileIsThereUntilItIsRemoved(isBucket: Bool) async throws {
        let store: any FileStore = isBucket ? store : FileFolder(FilePath(folder.path("files")))
        for (place, size) in [("ab/one", 0), ("ab/two", 5), ("cd/three", 40_000_000)] {
            let bytes = Self.bytes(size)
            try await keep(bytes, as: place, in: store)
            #expect(try await store.size(of: place) == Int64(size))
            #expect(try await all(store.open(place), Int64(size)) == bytes)
            let file = try await store.open(place)
            if size > 9 { #expect(try await file.read(3..<5) == bytes.getSlice(at: 3, length: 2)) }
            await file.close()
        }
        var places: [String] = []
        try await store.visitPlaces(keptBefore: Instant(milliseconds: .max / 2)) { places += $0 }
        #expect(places.sorted() == ["ab/one", "ab/two", "cd/three"])
        try await store.visitPlaces(keptBefore: Instant(milliseconds: 0)) { _ in Issue.record("none is so old") }
        try await store.remove("ab/two")
        try await store.remove("ab/two")
        #expect(try await store.size(of: "ab/two") == nil)
        await #expect(throws: FileStoreError.self) { try await store.open("ab/two") }
        #expect(bucket.uploads == 0)
    }

    /// A server that is killed leaves what it has made safe, and other servers read it.
    @Test(arguments: [true, false]) func whatIsSafeIsThereForOthers(isBucket: Bool) async throws {
        let store: any FileStore = isBucket ? store : FileFolder(FilePath(folder.path("files")))
        let bytes = Self.bytes(100_000)
        let file = try await store.begin()
        for range in [0..<40_000, 40_000..<70_000] {
            try await file.append(bytes.getSlice(at: range.lowerBound, length: range.count)!)
            try await file.sync()
        }
        try await file.append(bytes.getSlice(at: 70_000, length: 30_000)!)
        await file.close()
        let size = try #require(try await store.size(ofUnfinished: file.name))
        #expect(size >= 70_000)
        #expect(try await all(store.openUnfinished(file.name), 70_000) == bytes.getSlice(at: 0, length: 70_000))
        #expect(try await store.unfinished(before: Instant(milliseconds: 0)).isEmpty)
        #expect(try await store.unfinished(before: Instant(milliseconds: .max / 2)) == [file.name])
        try await store.removeUnfinished(file.name)
        #expect(try await store.size(ofUnfinished: file.name) == nil)
    }

    @Test(arguments: [true, false]) func aDiscardedFileIsGone(isBucket: Bool) async throws {
        let store: any FileStore = isBucket ? store : FileFolder(FilePath(folder.path("files")))
        let file = try await store.begin()
        try await file.append(Self.bytes(10))
        try await file.sync()
        await file.discard()
        #expect(try await store.size(ofUnfinished: file.name) == nil)
        #expect(try await store.unfinished(before: Instant(milliseconds: .max / 2)).isEmpty)
        #expect(bucket.keys.isEmpty)
    }

    // MARK: What a service may do

    /// Each request fails once, before or after it was done.
    @Test(arguments: [true, false]) func requestsAreRepeated(isDone: Bool) async throws {
        let failed = Mutex<Set<String>>([])
        bucket.setFault { line in
            guard failed.withLock({ $0.insert(line).inserted }) else { return nil }
            return isDone ? .answerLost : .refused(503)
        }
        let bytes = Self.bytes(40_000_000)
        try await keep(bytes, as: "ab/c", in: store)
        #expect(try await store.size(of: "ab/c") == 40_000_000)
        #expect(try await all(store.open("ab/c"), 40_000_000) == bytes)
        try await store.remove("ab/c")
        bucket.setFault { _ in nil }
        bucket.advance(by: .seconds(172_800))
        _ = try await store.unfinished(before: bucket.now)
        #expect(bucket.keys.isEmpty && bucket.uploads == 0, "the sweep ends uploads whose beginning was told twice")
    }

    @Test func aServiceThatStaysAwayIsNamed() async throws {
        bucket.setFault { _ in .refused(503) }
        let error = await #expect(throws: FileStoreError.self) { try await store.size(of: "ab/c") }
        var told = ""
        if case .failed(let text) = error { told = text }
        #expect(told == "s3://files/some/where: HEAD failed 4 times: status 503")
        // On a busy machine one of them may not have reached it.
        let count = bucket.requests.count
        #expect((1...4).contains(count))
        bucket.setFault { _ in .refused(403) }
        await #expect(throws: FileStoreError.self) { try await store.remove("ab/c") }
        #expect(bucket.requests.count == count + 1, "what is refused is not repeated")
        bucket.setFault { _ in .refused(507) }
        let full = await #expect(throws: FileStoreError.self) { try await keep(Self.bytes(3), as: "ab/c", in: store) }
        if case .full = full {} else { Issue.record("\(String(describing: full))") }
    }

    /// Nothing is there before all of it is, and nothing is left.
    @Test func aFileThatCannotBeKeptLeavesNothing() async throws {
        bucket.setFault { $0.contains("partNumber=2") ? .refused(500) : nil }
        await #expect(throws: FileStoreError.self) { try await keep(Self.bytes(40_000_000), as: "ab/c", in: store) }
        #expect(bucket.keys.isEmpty && bucket.uploads == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).isEmpty, "no spooled file is left")
    }

    /// Nobody may take all files for lost because a name is misspelt.
    @Test func aBucketThatIsMissingIsNoMissingFile() async throws {
        #expect(try await store.size(of: "ab/c") == nil)
        bucket.setFault { _ in .refused(404) }
        await #expect(throws: FileStoreError.self) { try await store.size(of: "ab/c") }
    }

    /// A server was killed while it removed them, and a request came too late.
    @Test func piecesAreFoundAndRemovedOneByOne() async throws {
        let file = try await store.begin()
        for _ in 0..<3 {
            try await file.append(Self.bytes(100))
            try await file.sync()
        }
        await file.close()
        let late = S3Client.Body(length: 10) { _, _ in Self.bytes(10) }
        let digest = S3Request.digest(of: Self.bytes(10))
        try await store.put(late, as: S3Store.key(ofUnfinished: file.name, 0..<10), digest: digest)
        #expect(try await store.size(ofUnfinished: file.name) == 300)
        #expect(try await all(store.openUnfinished(file.name), 300).readableBytes == 300)
        try await store.delete(S3Store.key(ofUnfinished: file.name, 0..<100))
        try await store.delete(S3Store.key(ofUnfinished: file.name, 0..<10))
        #expect(try await store.size(ofUnfinished: file.name) == nil)
        #expect(try await store.unfinished(before: Instant(milliseconds: .max / 2)) == [file.name])
        try await store.removeUnfinished(file.name)
        #expect(bucket.keys.isEmpty)
    }

    // MARK: Looking at a bucket

    @Test func aBucketIsChecked() async throws {
        let bytes = Self.bytes(10)
        let digest = Array(SHA256.hash(data: Data(bytes.readableBytesView))).hex
        let place = "\(digest.prefix(2))/\(digest).x"
        try await keep(bytes, as: place, in: store)
        let bucket = try bucket.place
        let faults = try await offThePool { () -> [FileFault?] in
            let file = { (size: Int64, digest: String, place: String) in
                StoredFile(project: "p", digest: digest, size: size, place: place, unnamedSince: nil)
            }
            let sizes = S3Inspector(bucket)
            let whole = S3Inspector(bucket, readsBytes: true)
            var seen: [String] = []
            try sizes.visit { _, files in seen += files.keys }
            #expect(seen == [place])
            return [
                try sizes.fault(of: file(10, digest, place)), try sizes.fault(of: file(11, digest, place)),
                try sizes.fault(of: file(10, digest, place + "y")), try whole.fault(of: file(10, digest, place)),
                try whole.fault(of: file(10, String(repeating: "a", count: 64), place)),
            ]
        }
        #expect(faults == [nil, .damaged, .missing, nil, .damaged])
    }

    // MARK: Names and signatures

    @Test(
        arguments: [
            ("s3://", "AWS_REGION"), ("s3://B_d/x", ""), ("s3://files/../x", ""), ("s3://files/a b", ""),
            ("s3:files", ""), ("s3://files", "AWS_ACCESS_KEY_ID"), ("s3://files", "AWS_SECRET_ACCESS_KEY"),
        ]) func aPlaceThatIsNoneIsRefused(name: String, missing: String)
    {
        let variables = ["AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"].filter { $0.key != missing }
        #expect(throws: S3Bucket.Fault.self) { try S3Bucket(name) { variables[$0] } }
    }

    @Test func placesAreThoseOfTheAWSTools() throws {
        func place(_ name: String, _ more: [String: String] = [:]) throws -> [String] {
            let variables = ["AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"].merging(more) { $1 }
            let bucket = try S3Bucket(name) { variables[$0] }
            return [bucket.origin, bucket.root + bucket.prefix]
        }
        #expect(try place("s3://files/a/b/") == ["https://files.s3.us-east-1.amazonaws.com", "/a/b/"])
        #expect(
            try place("s3://fi.les", ["AWS_REGION": "eu-west-1"])
                == ["https://s3.eu-west-1.amazonaws.com", "/fi.les/"])
        #expect(
            try place("s3://files", ["AWS_ENDPOINT_URL": "http://[::1]:9000/"]) == ["http://[::1]:9000", "/files/"])
    }

    /// The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
    @Test(
        arguments: [
            (
                "GET", "test.txt", [], [("Range", "bytes=0-9")],
                "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
            ),
            (
                "GET", nil, [("lifecycle", "")], [],
                "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
            ),
            (
                "GET", nil, [("max-keys", "2"), ("prefix", "J")], [],
                "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
            ),
        ] as [(String, String?, [(String, String)], [(String, String)], String)])
    func requestsAreSignedAsAmazonSays(
        method: String, key: String?, query: [(String, String)], headers: [(String, String)], signature: String
    ) throws {
        let variables = [
            "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        ]
        let bucket = try S3Bucket("s3://examplebucket") { variables[$0] }
        var request = S3Request(method: method, key: key)
        request.query = query.map { (name: $0.0, value: $0.1) }
        request.headers = headers.map { (name: $0.0, value: $0.1) }
        let signed = request.signedHeaders(
            at: bucket, host: "examplebucket.s3.amazonaws.com", date: Date(timeIntervalSince1970: 1_369_353_600))
        let authorization = try #require(signed.last?.value)
        #expect(authorization.hasSuffix("Signature=" + signature), "\(authorization)")
    }
}
