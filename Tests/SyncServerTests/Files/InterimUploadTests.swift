import Foundation
import SyncAccounts
import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// Uploads of Apple's URLSession, which sends a whole file, and goes on where the server has told it to by 104.
@Suite(.timeLimit(.minutes(10))) struct InterimUploadTests {
    private static let proxyHeaders = [
        "X-Forwarded-For: 10.0.0.1", "X-Forwarded-Proto: https", "X-Real-IP: 10.0.0.1", "Forwarded: for=10.0.0.1",
        "Via: 1.1 a", "Connection: close",
    ]

    private let photo = TestFile(bytes: 300_000)
    private let scene: Scene
    private let member: Client

    init() async throws {
        scene = try await Scene()
        member = try await scene.client(.member)
    }

    /// A `PUT` of the whole photo; its bytes are sent by whoever calls.
    private func head(
        version: Int?, of file: TestFile? = nil, to client: Client? = nil, more: [String] = [], http: String = "1.1"
    ) -> String {
        let (file, client) = (file ?? photo, client ?? member)
        var lines = [
            "PUT \(client.filePath(file.digest)) HTTP/\(http)", "Host: t",
            "Authorization: Bearer \(client.token ?? "")",
            "Content-Length: \(file.bytes.count)", version == 3 ? "Upload-Incomplete: ?0" : "Upload-Complete: ?1",
        ]
        if let version { lines.append("Upload-Draft-Interop-Version: \(version)") }
        return (lines + more).joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Begins, and waits until it is told where to go on.
    private func begun(version: Int, of file: TestFile? = nil) async throws -> (RawConnection, TestUpload) {
        let connection = try await RawConnection(scene.server)
        await connection.send(head(version: version, of: file))
        let told = await connection.received(until: "\r\n\r\n")
        #expect(told.hasPrefix("HTTP/1.1 104 Upload Resumption Supported\r\n"), "\(told)")
        #expect(told.contains("Upload-Draft-Interop-Version: \(version)\r\n"), "\(told)")
        return (connection, TestUpload(file: file ?? photo, path: try #require(place(in: told))))
    }

    private func place(in answer: String) -> String? {
        answer.split(separator: "\r\n").first { $0.hasPrefix("Location: ") }.map { String($0.dropFirst(10)) }
    }

    /// Sends all, and returns all answers: the connection stays open, and takes another request.
    private func answers(to head: String, from server: TestServer? = nil) async throws -> String {
        let connection = try await RawConnection(server ?? scene.server)
        await connection.send(head)
        await connection.send(photo.bytes)
        await connection.send("GET /health/ HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
        return await connection.receivedUntilTheEnd()
    }

    private func offset(of upload: TestUpload, version: Int) async throws -> Int {
        let state = try await member.send(
            "HEAD", upload.path, headers: ["Upload-Draft-Interop-Version": String(version)])
        #expect(state.status == 204 && state.header("Upload-Draft-Interop-Version") == String(version))
        #expect(state.header(version == 3 ? "Upload-Incomplete" : "Upload-Complete") == (version == 3 ? "?1" : "?0"))
        #expect(state.header(version == 3 ? "Upload-Complete" : "Upload-Incomplete") == nil)
        return try #require(state.header("Upload-Offset").flatMap { Int($0) })
    }

    private func append(from offset: Int, to upload: TestUpload, version: Int) async throws -> Answer {
        var fields = [
            "Upload-Draft-Interop-Version": String(version), "Upload-Offset": String(offset),
            // The older versions have no type for a piece, and a client sends that of the file.
            "Content-Type": version < 6 ? "image/jpeg" : "application/partial-upload",
        ]
        fields[version == 3 ? "Upload-Incomplete" : "Upload-Complete"] = version == 3 ? "?0" : "?1"
        return try await member.send("PATCH", upload.path, upload.file.bytes[offset...], headers: fields)
    }

    @Test(arguments: [3, 5, 6, 8]) func itGoesOnWhereItBrokeOff(version: Int) async throws {
        try await member.attach(photo, "a")
        var (connection, upload) = try await begun(version: version)
        await connection.send(photo.bytes[..<200_000])
        var offset = try await offset(of: upload, version: version)
        // The bytes may come later than the question.
        while offset == 0 {
            (connection, upload) = try await begun(version: version)
            await connection.send(photo.bytes[..<200_000])
            offset = try await self.offset(of: upload, version: version)
        }
        #expect(!(await connection.receivedUntilTheEnd()).contains("HTTP/1.1 2"))
        let last = try await append(from: offset, to: upload, version: version)
        #expect(last.status == 201, "\(last.text)")
        #expect(last.header(version == 3 ? "Upload-Incomplete" : "Upload-Complete") == (version == 3 ? "?0" : "?1"))
        #expect(try await member.state("a") == "stored")
        #expect(try await member.get(photo).body == photo.bytes)
    }

    @Test(arguments: [3, 5, 6, 8]) func aWholeFileIsAnsweredAsEver(version: Int) async throws {
        let text = try await answers(to: head(version: version))
        let statuses = text.matches(of: /HTTP\/1\.1 (\d+)/).map { String($0.1) }
        #expect(statuses == ["104", "201", "200"], "\(text)")
        try await member.attach(photo, "a")
        #expect(try await member.state("a") == "stored")
        // What the caller may read is not read again.
        let again = try await answers(to: head(version: version))
        #expect(again.hasPrefix("HTTP/1.1 200 ") && again.contains(version == 3 ? "Incomplete: ?0" : "Complete: ?1"))
    }

    @Test(arguments: [1, 4, 7, 9]) func othersAreToldNothing(version: Int) async throws {
        let text = try await answers(to: head(version: version))
        #expect(text.hasPrefix("HTTP/1.1 201 ") && text.contains("HTTP/1.1 200 "), "\(text)")
    }

    @Test(arguments: proxyHeaders) func aProxyGetsNone(header: String) async throws {
        let connection = try await RawConnection(scene.server)
        await connection.send(head(version: 6, more: [header]))
        await connection.send(photo.bytes)
        #expect((await connection.received(until: "\r\n\r\n")).hasPrefix("HTTP/1.1 201 "))
    }

    @Test func theOldVersionGetsNone() async throws {
        var settings = FileSettings()
        for interim in ["auto", "true"] {
            settings.interim = interim
            let scene = try await Scene(fileSettings: settings)
            let connection = try await RawConnection(scene.server)
            await connection.send(head(version: 6, to: try await scene.client(.member), http: "1.0"))
            await connection.send(photo.bytes)
            #expect((await connection.receivedUntilTheEnd()).hasPrefix("HTTP/1.0 201 "))
        }
    }

    @Test func theOperatorKnowsBetter() async throws {
        var settings = FileSettings()
        settings.interim = "true"
        let open = try await Scene(fileSettings: settings)
        let header = InterimUploadTests.proxyHeaders[0]
        let told = try await answers(
            to: head(version: 6, to: try await open.client(.member), more: [header]), from: open.server)
        #expect(told.hasPrefix("HTTP/1.1 104 ") && told.contains("HTTP/1.1 201 "), "\(told)")
        settings.interim = "false"
        let closed = try await Scene(fileSettings: settings)
        let text = try await answers(to: head(version: 6, to: try await closed.client(.member)), from: closed.server)
        #expect(text.hasPrefix("HTTP/1.1 201 "), "\(text)")
        var accounts = Accounts(passwords: .quick)
        accounts.settings.trustsForwardedFor = true
        let behind = try await Scene(accounts: accounts)
        let plain = try await answers(to: head(version: 6, to: try await behind.client(.member)), from: behind.server)
        #expect(plain.hasPrefix("HTTP/1.1 201 "), "\(plain)")
    }

    /// A client that waits for an invitation has not got one by 104.
    @Test func theBodyIsStillAskedFor() async throws {
        let connection = try await RawConnection(scene.server)
        await connection.send(head(version: 6, more: ["Expect: 100-continue"]))
        let asked = await connection.received(until: "100 Continue\r\n\r\n")
        #expect(asked.hasPrefix("HTTP/1.1 104 "), "\(asked)")
        await connection.send(photo.bytes)
        #expect((await connection.received(until: "Upload-Complete: ?1")).contains("HTTP/1.1 201 "))
    }

    // MARK: Apps that were killed

    /// The app has forgotten everything, and sends all again.
    @Test func whoWasKilledIsToldAgain() async throws {
        let upload = try await member.begin(photo).upload
        let place = try #require(upload)
        try await member.append(0..<100_000, to: place)
        for _ in 0..<2 {
            let connection = try await RawConnection(scene.server)
            await connection.send(head(version: 6))
            await connection.send(photo.bytes)
            let told = await connection.receivedUntilTheEnd()
            #expect(told.hasPrefix("HTTP/1.1 104 ") && self.place(in: told) == place.path, "\(told)")
            #expect(!told.contains("HTTP/1.1 4") && !told.contains("HTTP/1.1 2"), "\(told)")
            #expect(try await offset(of: place, version: 6) == 100_000)
        }
        #expect(try await append(from: 100_000, to: place, version: 6).status == 201)
    }

    /// A proxy without a word of itself drops interim answers, and the app sends all again.
    @Test func whoWasNotReachedSendsAll() async throws {
        let begun = try await member.begin(photo).upload
        let upload = try #require(begun)
        try await member.append(0..<100_000, to: upload)
        let told = try await answers(to: head(version: 6))
        #expect(!told.contains("HTTP/1.1 2"), "\(told)")
        let sent = try await answers(to: head(version: 6))
        #expect(sent.hasPrefix("HTTP/1.1 201 "), "\(sent)")
        // The upload is not needed any more, and takes up nothing.
        #expect(try await member.state(of: upload).header("Upload-Complete") == "?1")
        #expect(try scene.filesOnDisk().count == 1)
    }

    /// An app that is killed before it asks, again and again.
    @Test func whoIsKilledBeforeItAsksIsToldEachSecondTime() async throws {
        let begun = try await member.begin(photo).upload
        try await member.append(0..<100_000, to: try #require(begun))
        var answers: [String] = []
        for _ in 0..<4 {
            let connection = try await RawConnection(scene.server)
            await connection.send(head(version: 6, more: ["Expect: 100-continue"]))
            answers.append(String((await connection.received(until: "\r\n\r\n")).prefix(12)))
        }
        #expect(answers == ["HTTP/1.1 104", "HTTP/1.1 100", "HTTP/1.1 104", "HTTP/1.1 100"])
    }

    /// Whoever is never reached has unfinished uploads, as many as one may have, and gets all files through.
    @Test func nobodyIsLockedOut() async throws {
        let files = (0..<20).map { TestFile("file \($0)") }
        for file in files {
            let begun = try await member.begin(file).upload
            try await member.append(0..<3, to: try #require(begun))
        }
        #expect(try await member.send(TestFile("another")).code == "too_many_uploads")
        for file in files {
            for attempt in 0..<2 {
                let connection = try await RawConnection(scene.server)
                await connection.send(head(version: 6, of: file))
                await connection.send(file.bytes)
                let answer = await connection.received(until: "\r\n\r\n")
                #expect(answer.hasPrefix(attempt == 0 ? "HTTP/1.1 104 " : "HTTP/1.1 201 "), "\(answer)")
            }
        }
        #expect(try await member.send(TestFile("another")).status == 201)
    }

    /// Two apps of one user send one photo.
    @Test func aSecondOneTakesOver() async throws {
        let (first, upload) = try await begun(version: 6)
        await first.send(photo.bytes[..<100_000])
        let second = try await RawConnection(scene.server)
        await second.send(head(version: 6))
        await second.send(photo.bytes)
        let text = await second.received(until: "201 Created")
        #expect(!(await first.receivedUntilTheEnd()).contains("HTTP/1.1 2"))
        // It depends on what of the first has come.
        if !text.contains("HTTP/1.1 201 ") {
            #expect(place(in: text) == upload.path)
            let offset = try await offset(of: upload, version: 6)
            #expect(try await append(from: offset, to: upload, version: 6).status == 201)
        }
        try await member.attach(photo, "a")
        #expect(try await member.get(photo).body == photo.bytes)
    }
}
