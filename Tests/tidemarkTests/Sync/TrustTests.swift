import ArgumentParser
import Foundation
import SyncAsyncHTTPClient
import SyncClientCore
import SyncTestKit
import SyncURLSession
import Testing

@testable import tidemark

/// Which servers the sync commands trust; tested with the server's own TLS.
@Suite(.timeLimit(.minutes(30))) struct TrustTests {
    private func ask(_ certificate: ServedCertificate, trusting: CertificateAuthorities?) async throws -> Int {
        let server = try await ServedProject(certificate)
        let transport = AsyncHTTPClientTransport(authorities: trusting ?? .system)
        let request = TransportRequest(url: server.url + "/health/", timeout: .seconds(60))
        let answer: Result<TransportResponse, any Error>
        do { answer = .success(try await transport.send(request)) } catch { answer = .failure(error) }
        try await transport.shutdown()
        return try answer.get().status
    }

    private func authority(_ certificate: ServedCertificate) throws -> CertificateAuthorities {
        try #require(CertificateAuthorities(pem: certificate.certificate.utf8))
    }

    @Test func anAuthorityOfOnesOwnIsTrustedWhereItIsNamed() async throws {
        #expect(try await ask(.good, trusting: authority(.good)) == 200)
    }

    @Test func aServerOfAnUnknownAuthorityIsRefusedForGood() async throws {
        await #expect(throws: TransportError.untrusted(.unknownIssuer)) { try await ask(.good, trusting: nil) }
        #expect(!TransportError.untrusted(.unknownIssuer).isTransient)
    }

    @Test func anAuthorityThatIsNamedTakesThePlaceOfAllOthers() async throws {
        let other = try authority(.otherName)
        await #expect(throws: TransportError.untrusted(.unknownIssuer)) { try await ask(.good, trusting: other) }
    }

    @Test func aCertificateOfAnotherNameIsRefusedAndItsNamesAreTold() async throws {
        let authority = try authority(.otherName)
        await #expect(throws: TransportError.untrusted(.otherName(["plans.example.org"]))) {
            try await ask(.otherName, trusting: authority)
        }
    }

    @Test(arguments: [true, false])
    func anExpiredCertificateIsRefusedAndItsLastDayIsTold(isTrusted: Bool) async throws {
        let authority = try isTrusted ? authority(.expired) : nil
        await #expect(throws: TransportError.untrusted(.expired(on: "2021-01-01"))) {
            try await ask(.expired, trusting: authority)
        }
    }

    @Test func aPlainServerThatIsAskedForTLSIsToldAsSuch() async throws {
        let server = try await ServedProject()
        let request = TransportRequest(
            url: server.url.replacing("http:", with: "https:") + "/health/", timeout: .seconds(60))
        let transport = AsyncHTTPClientTransport()
        await #expect(throws: TransportError.noTLS) { try await transport.send(request) }
        try await transport.shutdown()
        await #expect(throws: TransportError.noTLS) { try await URLSessionTransport().send(request) }
    }

    @Test func urlSessionTrustsOnlyWhatTheSystemTrusts() async throws {
        for certificate in [ServedCertificate.good, .otherName] {
            let server = try await ServedProject(certificate)
            await #expect(throws: TransportError.untrusted(.unknownIssuer)) {
                try await URLSessionTransport().send(
                    TransportRequest(url: server.url + "/health/", timeout: .seconds(60)))
            }
        }
    }

    @Test func whatIsNoCertificateIsNoAuthority() {
        #expect(CertificateAuthorities(pem: "nonsense".utf8) == nil)
        #expect(CertificateAuthorities(pem: [UInt8]()) == nil)
    }

    @Test func theWayOutIsNamed() throws {
        let unknown = SyncError.transport(.untrusted(.unknownIssuer))
        let words = ["http://h", "--project", "p", "--replica", "r"]
        #expect(try Connection.parse(words).sentence(of: unknown).contains("--ca FILE"))
        #expect(try Connection.parse(words + ["--ca", "ca.pem"]).sentence(of: unknown).contains("right server"))
    }
}
