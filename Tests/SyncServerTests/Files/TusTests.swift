import Foundation
import SyncAccounts
import SyncProtocol
import SyncTestKit
import Testing

/// Uploads by clients of tus 1.0: https://tus.io/protocols/resumable-upload
@Suite(.timeLimit(.minutes(10))) struct TusTests {
    private let photo = TestFile(bytes: 300_000)
    private let scene: Scene
    private let member: Client
    private var uploads: String { "/api/v1/projects/\(member.project)/uploads/" }

    init() async throws {
        scene = try await Scene()
        member = try await scene.client(.member)
    }

    private func metadata(_ digest: String) -> String {
        "filename \(Data("a.jpg".utf8).base64EncodedString()),sha256 \(Data(digest.utf8).base64EncodedString())"
    }

    private func begin(_ headers: [String: String] = [:], as client: Client? = nil) async throws -> Answer {
        let fields = [
            "Tus-Resumable": "1.0.0", "Upload-Length": String(photo.bytes.count),
            "Upload-Metadata": metadata(photo.digest),
        ]
        let all = fields.merging(headers) { $1 }.filter { !$0.value.isEmpty }
        return try await (client ?? member).send("POST", uploads, Data(), headers: all)
    }

    @discardableResult
    private func append(
        _ range: Range<Int>, to place: String, at offset: Int? = nil, of file: TestFile? = nil
    ) async throws -> Answer {
        try await member.send(
            "PATCH", place, (file ?? photo).bytes[range],
            headers: [
                "Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream",
                "Upload-Offset": String(offset ?? range.lowerBound),
            ])
    }

    @Test func aFileComesInPieces() async throws {
        try await member.attach(photo, "a")
        let begun = try await begin()
        let place = try #require(begun.header("Location"))
        #expect(begun.status == 201 && begun.header("Tus-Resumable") == "1.0.0", "\(begun.text)")
        #expect(begun.header("Upload-Offset") == "0")
        let first = try await append(0..<100_000, to: place)
        #expect(first.status == 204 && first.header("Upload-Offset") == "100000", "\(first.text)")
        let state = try await member.send("HEAD", place, headers: ["Tus-Resumable": "1.0.0"])
        #expect(state.status == 200 && state.header("Upload-Offset") == "100000")
        #expect(state.header("Upload-Length") == "300000" && state.header("Cache-Control") == "no-store")
        #expect(state.header("Upload-Metadata")?.hasPrefix("sha256 ") == true)
        let last = try await append(100_000..<300_000, to: place)
        #expect(last.status == 204 && last.header("Upload-Offset") == "300000")
        #expect(last.header("Tus-Resumable") == "1.0.0")
        #expect(try await member.state("a") == "stored")
        #expect(try await scene.client(.viewer).get(photo).body == photo.bytes)
        // A client whose last answer was lost.
        let again = try await append(300_000..<300_000, to: place)
        #expect(again.status == 204 && again.header("Upload-Offset") == "300000")
        let whole = try await member.send("HEAD", place, headers: ["Tus-Resumable": "1.0.0"])
        #expect(whole.header("Upload-Offset") == "300000")
    }

    /// A client sends nothing of it after the first request.
    @Test func anEmptyFileIsThereAtOnce() async throws {
        let empty = TestFile("")
        try await member.attach(empty, "a")
        let begun = try await begin(["Upload-Length": "0", "Upload-Metadata": metadata(empty.digest)])
        #expect(begun.status == 201 && begun.header("Upload-Offset") == "0", "\(begun.text)")
        #expect(try await member.state("a") == "stored")
        #expect(try await member.get(empty).body.isEmpty)
    }

    /// A server that is killed after it has noted the last bytes has not made the file whole. The client takes it for
    /// done when it hears of all bytes.
    @Test func allBytesAreTheFile() async throws {
        try await member.attach(photo, "a")
        let place = try #require(try await begin().header("Location"))
        let upload = TestUpload(file: photo, path: place)
        // All bytes, and no word that these are the last ones.
        #expect(try await member.append(0..<300_000, to: upload, headers: ["Upload-Complete": "?0"]).status == 204)
        #expect(try await member.state("a") == "pending")
        let state = try await member.send("HEAD", place, headers: ["Tus-Resumable": "1.0.0"])
        #expect(state.status == 200 && state.header("Upload-Offset") == "300000")
        #expect(try await member.state("a") == "stored")
    }

    /// A client that has lost its place sends from the start.
    @Test func anUploadThatIsBegunAgainBeginsAtZero() async throws {
        let place = try #require(try await begin().header("Location"))
        try await append(0..<100_000, to: place)
        let again = try await begin()
        #expect(again.header("Upload-Offset") == "0" && again.header("Location") != place)
        #expect(try await append(0..<300_000, to: #require(again.header("Location"))).status == 204)
        #expect(try await member.send("HEAD", place, headers: ["Tus-Resumable": "1.0.0"]).status == 404)
    }

    /// The two protocols are of one resource.
    @Test func anUploadGoesOnInTheOtherProtocol() async throws {
        try await member.attach(photo, "a")
        let (begun, _) = try await member.begin(photo)
        let upload = try #require(begun)
        #expect(try await begin().header("Location")?.hasSuffix(upload.path.suffix(20)) == true)
        #expect(try await append(0..<100_000, to: upload.path).status == 204)
        #expect(try await member.offset(of: upload) == 100_000)
        #expect(try await member.append(100_000..<300_000, to: upload).status == 201)
        #expect(try await member.state("a") == "stored")
    }

    /// Whoever may read the file already sends it nevertheless: tus has no other answer.
    @Test func whatIsKnownIsReadAndDropped() async throws {
        try await member.send(photo)
        try await member.attach(photo, "a")
        let place = try #require(try await begin().header("Location"))
        #expect(try await append(0..<300_000, to: place).status == 204)
        #expect(try scene.filesOnDisk().count == 1)
    }

    @Test func whatIsWrongIsSaid() async throws {
        let place = try #require(try await begin().header("Location"))
        let ahead = try await append(0..<10, to: place, at: 5)
        #expect(ahead.status == 409 && ahead.code == "upload_offset_mismatch")
        #expect(ahead.header("Tus-Resumable") == "1.0.0" && ahead.header("Upload-Offset") == "0")
        let wrong = try await append(0..<300_000, to: place, of: TestFile(bytes: 300_000, seed: 9))
        #expect(wrong.status == 460 && wrong.code == "digest_mismatch", "\(wrong.text)")
        #expect(try await member.send("HEAD", place, headers: ["Tus-Resumable": "1.0.0"]).status == 404)
        let other = try await begin(["Tus-Resumable": "0.2.2"])
        #expect(other.status == 412 && other.code == "unsupported_tus_version")
        #expect(other.header("Tus-Version") == "1.0.0")
        #expect(try await begin(["Tus-Resumable": ""]).status == 412)
        for headers in [
            ["Upload-Length": ""], ["Upload-Length": "x"], ["Upload-Metadata": ""], ["Upload-Metadata": "sha256"],
            ["Upload-Metadata": "sha256 !"], ["Upload-Metadata": metadata("../x")],
        ] {
            let answer = try await begin(headers)
            #expect(answer.status == 400 && answer.code == "invalid_header", "\(headers): \(answer.text)")
        }
        let large = try await begin(["Upload-Length": "999999999999"])
        #expect(large.status == 413 && large.code == "file_too_large")
        #expect(try await begin(as: scene.client(.viewer)).status == 403)
        let plain = try await member.send(
            "PATCH", place, Data(), headers: ["Tus-Resumable": "1.0.0", "Upload-Offset": "0"])
        #expect(plain.status == 415)
    }

    @Test func anUploadIsEnded() async throws {
        let place = try #require(try await begin().header("Location"))
        let ended = try await member.send("DELETE", place, headers: ["Tus-Resumable": "1.0.0"])
        #expect(ended.status == 204 && ended.header("Tus-Resumable") == "1.0.0")
        #expect(try await member.send("HEAD", place, headers: ["Tus-Resumable": "1.0.0"]).status == 404)
    }

    @Test func optionsTellOfLimits() async throws {
        let answer = try await member.send("OPTIONS", uploads)
        #expect(answer.status == 204 && answer.header("Tus-Version") == "1.0.0", "\(answer.text)")
        #expect(answer.header("Tus-Max-Size") == String(100 << 20))
        #expect(answer.header("Tus-Extension") == "creation,termination")
        #expect(answer.header("Upload-Limit") == "max-size=\(100 << 20), max-age=604800")
    }
}
