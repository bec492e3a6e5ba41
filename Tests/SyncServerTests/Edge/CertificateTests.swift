import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import SyncTestKit
import Testing

@testable import SyncServer

/// HTTPS from certificate files that may change.
@Suite(.timeLimit(.minutes(30))) struct CertificateTests {
    private let folder: TemporaryFolder
    private let certificates: Certificates

    init() throws {
        folder = try TemporaryFolder()
        try TestCertificate.first.write(to: folder)
        certificates = try Self.certificates(folder)
    }

    private static func certificates(_ folder: TemporaryFolder) throws -> Certificates {
        try Certificates(
            certificate: TestCertificate.certificateFile(folder), key: TestCertificate.keyFile(folder))
    }

    /// Whether a client that trusts only this certificate gets an answer, on a connection of its own.
    private func isServed(_ scene: Scene, trusting certificate: TestCertificate) async throws -> Bool {
        var configuration = HTTPClient.Configuration(tlsConfiguration: try certificate.trust())
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let response = try? await client.execute(
            HTTPClientRequest(url: scene.server.url + "/health/"), timeout: Client.deadline)
        try await client.shutdown()
        return response?.status == .ok
    }

    private func overwrite(_ path: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    @Test func whoTrustsTheCertificateIsServed() async throws {
        let scene = try await Scene(edge: Edge(limits: Edge.patient.limits, certificates: certificates))
        #expect(scene.server.url.hasPrefix("https://"))
        #expect(try await isServed(scene, trusting: .first))
        #expect(try await !isServed(scene, trusting: .second))
    }

    @Test func whoSpeaksPlainHTTPIsHungUpOn() async throws {
        let scene = try await Scene(edge: Edge(limits: Edge.patient.limits, certificates: certificates))
        let connection = try await RawConnection(scene.server)
        await connection.send("GET /health/ HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await !connection.receivedUntilTheEnd().contains("HTTP/1.1"))
    }

    @Test func newFilesAreShownToNewConnections() async throws {
        let scene = try await Scene(edge: Edge(limits: Edge.patient.limits, certificates: certificates))
        #expect(try await isServed(scene, trusting: .first))
        #expect(try !certificates.reload(again: false))
        try TestCertificate.second.write(to: folder)
        #expect(try certificates.reload(again: false))
        #expect(try await isServed(scene, trusting: .second))
        #expect(try await !isServed(scene, trusting: .first))
    }

    @Test func newFilesThatCanNotBeUsedLeaveTheOldOnes() async throws {
        let scene = try await Scene(edge: Edge(limits: Edge.patient.limits, certificates: certificates))
        try overwrite(TestCertificate.certificateFile(folder), TestCertificate.second.certificate)
        #expect(throws: CertificateError.self) { try certificates.reload(again: false) }
        #expect(try await isServed(scene, trusting: .first))
        // Not tried again each minute, only when somebody asks for it.
        #expect(try !certificates.reload(again: false))
        #expect(throws: CertificateError.self) { try certificates.reload(again: true) }
        try overwrite(TestCertificate.keyFile(folder), TestCertificate.second.key)
        #expect(try certificates.reload(again: false))
        #expect(try await isServed(scene, trusting: .second))
    }

    @Test func theWatchReloadsOnEachOccasionAndSurvivesFailures() async throws {
        let (occasions, occur) = AsyncStream.makeStream(of: CertificateWatch.Occasion.self)
        let before = certificates.context
        try overwrite(TestCertificate.keyFile(folder), "nonsense")
        let watch = CertificateWatch(certificates, logger: .silent) { occasions }
        async let run: Void = watch.run()
        occur.yield(.time)
        occur.yield(.signal)
        occur.finish()
        try await run
        #expect(certificates.context === before)

        let (later, occurLater) = AsyncStream.makeStream(of: CertificateWatch.Occasion.self)
        try TestCertificate.second.write(to: folder)
        occurLater.yield(.time)
        occurLater.finish()
        try await CertificateWatch(certificates, logger: .silent) { later }.run()
        #expect(certificates.context !== before)
    }

    @Test(arguments: [
        ("certificate.pem", nil, "Can't read"), ("key.pem", nil, "Can't read"),
        ("certificate.pem", "", "no certificate"), ("key.pem", "", "no private key"),
        ("certificate.pem", TestCertificate.second.certificate, "not that of the first certificate"),
        ("key.pem", TestCertificate.first.certificate, "no private key"),
    ])
    func filesThatCanNotBeUsedAreRefusedWithAReason(file: String, text: String?, reason: String) throws {
        if let text {
            try overwrite(folder.path(file), text)
        } else {
            try FileManager.default.removeItem(atPath: folder.path(file))
        }
        let error = #expect(throws: CertificateError.self) { try Self.certificates(folder) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains(folder.path(file)) == true)
    }
}
