import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// Files that rows name: sent, told of, read.
@Suite struct FileTests {
    private let scene: Scene
    private let member: Client
    private let viewer: Client
    private let photo = TestFile(start: [0xFF, 0xD8, 0xFF, 0xE0])

    init() async throws {
        scene = try await Scene()
        member = try await scene.client(.member)
        viewer = try await scene.client(.viewer)
    }

    private var size: JSON { .int(Int64(photo.bytes.count)) }

    // MARK: Rows and bytes

    @Test func theRowComesFirst() async throws {
        let row = try await member.attach(photo, "a", ["size": 1])
        #expect(row.at("/state") == "pending")
        #expect(row.at("/size") == 1)
        #expect(try await viewer.get(photo).code == "not_found")
        let since = try await viewer.head()
        #expect(try await member.send(photo).status == 201)
        let drained = try await viewer.drain(since: since).row("attachments", "a")
        #expect(drained?["state"] == "stored")
        #expect(drained?["size"] == size)
        #expect(try await viewer.get(photo).body == photo.bytes)
    }

    @Test func theBytesComeFirst() async throws {
        #expect(try await member.send(photo).status == 201)
        // Nobody sees a row that names it, so nobody reads it.
        #expect(try await member.get(photo).code == "not_found")
        let answer = try await member.upload(
            "attachments", created: [["id": "a", "name": "f", "file": photo.json, "size": 7]])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await member.state("a") == "stored")
        #expect(try await viewer.read("attachments", "a").at("/size") == size)
        #expect(try await viewer.get(photo).status == 200)
    }

    @Test func sendingAgainChangesNothing() async throws {
        #expect(try await member.send(photo).status == 201)
        #expect(try await member.send(photo).status == 201)
        try await member.attach(photo, "a")
        let head = try await member.head()
        #expect(try await member.send(photo).status == 200)
        #expect(try await member.head() == head)
    }

    @Test func anEmptyFileIsAFile() async throws {
        let empty = TestFile("")
        #expect(try await member.send(empty).status == 201)
        try await member.attach(empty, "a", ["size": 9])
        let answer = try await viewer.get(empty)
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(try await viewer.read("attachments", "a").at("/size") == 0)
        #expect(try await viewer.get(empty, headers: ["Range": "bytes=0-"]).status == 416)
    }

    /// An edit of a row that the server told of meanwhile is in no conflict with that.
    @Test(arguments: ["reject", "newest", "merge", "overwrite"])
    func aStateConflictsWithNothing(mode: String) async throws {
        try await member.attach(photo, "a", ["size": 1])
        let before = try await member.head()
        try await member.send(photo)
        let edit: JSON = ["id": "a", "name": "renamed", "modified_at": "2026-01-05T12:00:00Z"]
        let answer = try await scene.client(.admin).upload(
            "attachments", updated: [edit], members: ["last_pulled_at": .int(before), "on_conflict": .string(mode)])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/conflicts") == [:], "\(answer.text)")
        let row = try await member.read("attachments", "a")
        #expect(row.at("/name") == "renamed")
        #expect(row.at("/state") == "stored")
        #expect(row.at("/size") == size)
    }

    @Test func aClientDoesNotWriteWhatTheServerTells() async throws {
        try await member.attach(photo, "a")
        #expect(
            try await member.patch("attachments", "a", ["state": "stored"]).at("/errors/0/code") == "read_only_field")
        let sent: JSON = ["id": "b", "name": "f", "file": photo.json, "state": "stored", "size": 3]
        #expect(try await member.upload("attachments", created: [sent]).status == 200)
        #expect(try await member.state("b") == "pending")
        try await member.send(photo)
        #expect(try await member.upload("attachments", updated: [["id": "b", "size": 3]]).status == 200)
        #expect(try await member.read("attachments", "b").at("/size") == size)
    }

    // MARK: Once

    @Test func aFileIsSetOnce() async throws {
        let other = TestFile("other")
        try await member.create("attachments", ["id": "a", "name": "f"])
        #expect(try await member.state("a") == "pending")
        #expect(try await member.patch("attachments", "a", ["file": photo.json]).status == 200)
        #expect(try await member.patch("attachments", "a", ["file": photo.json]).status == 200)
        for value in [other.json, .null] {
            let refused = try await member.patch("attachments", "a", ["file": value])
            #expect(refused.status == 400)
            #expect(refused.at("/errors/0/code") == "read_only_field")
        }
        let head = try await member.head()
        let answer = try await member.upload(
            "attachments", updated: [["id": "a", "file": other.json, "name": "new"]],
            members: ["last_pulled_at": .int(head)])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/skipped/attachments/0/code") == "read_only_field", "\(answer.text)")
        #expect(answer.at("/skipped/attachments/0/field") == "file")
        let row = try await member.drain(since: head).row("attachments", "a")
        #expect(row?["file"] == photo.json)
        #expect(row?["name"] == "new")
    }

    @Test func anAttachmentIsOfOneThing() async throws {
        try await member.create("tasks", ["id": "t", "name": "T"])
        try await member.create("risks", ["id": "r", "title": "R", "probability": 1, "impact": 1])
        let both = try await member.attach(photo, "a", ["task": "t", "risk": "r"])
        #expect(both.at("/errors/0/code") == "inconsistent", "\(both.text)")
        #expect(try await member.attach(photo, "b", ["risk": "r"]).status == 201)
        #expect(try await member.attach(photo, "c", ["task": "t"]).status == 201)
    }

    // MARK: Sending

    @Test func bytesOfAnotherDigestAreNotKept() async throws {
        let other = TestFile("other")
        #expect(try await member.send(photo, as: other.digest).code == "digest_mismatch")
        try await member.attach(other, "a")
        #expect(try await member.get(other).code == "not_found")
        #expect(try scene.filesOnDisk() == [])
        let header = ["Repr-Digest": "sha-512=:AA==:, sha-256=:\(Data(count: 32).base64EncodedString()):"]
        #expect(try await member.send(photo, headers: header).code == "digest_mismatch")
        #expect(try await member.send(photo, headers: ["Repr-Digest": "sha-256=x"]).code == "invalid_header")
        #expect(try await member.send(photo, headers: ["Repr-Digest": "sha-512=:AA==:"]).status == 201)
        #expect(try scene.filesOnDisk().count == 1)
    }

    @Test(arguments: ["x", String(repeating: "A", count: 64), String(repeating: "0", count: 63)])
    func aPathNeedsADigest(_ path: String) async throws {
        #expect(try await member.send(photo, as: path).code == "invalid_parameter")
        #expect(try await member.send("GET", member.filePath(path)).code == "invalid_parameter")
    }

    @Test func packedBytesAreRefused() async throws {
        let answer = try await member.send(photo, headers: ["Content-Encoding": "gzip"])
        #expect(answer.code == "unsupported_content_encoding")
    }

    // MARK: Reading

    @Test func anAnswerSaysWhatTheFileIs() async throws {
        let files = [
            ("image/jpeg", photo), ("image/png", TestFile(start: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])),
            ("image/gif", TestFile("GIF89a…")), ("image/webp", TestFile("RIFF0000WEBPVP8 ")),
            ("application/octet-stream", TestFile("<html><script>alert(1)</script>")),
            ("application/octet-stream", TestFile("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")),
            ("application/octet-stream", TestFile("RIFF0000WAVE")),
        ]
        for (place, (type, file)) in files.enumerated() {
            try await member.send(file)
            try await member.attach(file, "a\(place)", ["media_type": "text/html"])
            let answer = try await viewer.get(file)
            #expect(answer.body == file.bytes)
            let expected = [
                "Content-Type": type, "Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff",
                "Content-Security-Policy": "sandbox", "Accept-Ranges": "bytes", "ETag": "\"\(file.digest)\"",
                "Content-Length": String(file.bytes.count),
            ]
            for (name, value) in expected { #expect(answer.header(name) == value, "\(name)") }
            #expect(answer.header("Cache-Control")?.hasPrefix("private") == true)
        }
    }

    @Test func rangesAreServed() async throws {
        let file = TestFile(bytes: 300_000)
        try await member.send(file)
        try await member.attach(file, "a")
        let tag = "\"\(file.digest)\""
        let ranges: [(String, Range<Int>)] = [
            ("bytes=0-0", 0..<1), ("bytes=5-9", 5..<10), ("bytes=131070-262150", 131_070..<262_151),
            ("bytes=299990-", 299_990..<300_000), ("bytes=-7", 299_993..<300_000), ("bytes=0-9999999", 0..<300_000),
            ("bytes=-9999999", 0..<300_000),
        ]
        for (header, range) in ranges {
            let part = try await viewer.get(file, headers: ["Range": header, "If-Range": tag])
            #expect(part.status == 206, "\(header)")
            #expect(part.body == file.bytes[range], "\(header)")
            #expect(part.header("Content-Range") == "bytes \(range.lowerBound)-\(range.upperBound - 1)/300000")
        }
        for header in ["bytes=300000-", "bytes=-0"] {
            let answer = try await viewer.get(file, headers: ["Range": header])
            #expect(answer.status == 416, "\(header)")
            #expect(answer.header("Content-Range") == "bytes */300000")
        }
        for header in ["bytes=0-1,3-4", "rows=0-1", "bytes=5-4", "bytes=x-", "bytes=-", "bytes=1-2-3"] {
            #expect(try await viewer.get(file, headers: ["Range": header]).body == file.bytes, "\(header)")
        }
        let changed = try await viewer.get(file, headers: ["Range": "bytes=0-0", "If-Range": "\"other\""])
        #expect(changed.status == 200)
        #expect(try await viewer.get(file, headers: ["If-None-Match": tag]).status == 304)
        let head = try await viewer.send("HEAD", viewer.filePath(file.digest))
        #expect(head.status == 200)
        #expect(head.header("Content-Length") == "300000")
    }
}
