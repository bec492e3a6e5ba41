import HTTPTypes
import Hummingbird
import NIOCore
import SyncAccounts
import SyncProtocol
@testable import SyncServer
import SyncTestKit
import Testing

/// Who may read the metrics.
@Suite struct MetricsAccessTests {
    private func access(_ token: String = "", isEnabled: Bool = true) -> MetricsAccess {
        var settings = MetricsSettings()
        (settings.token, settings.isEnabled) = (token, isEnabled)
        return MetricsAccess(settings: settings)
    }

    private func request(_ headers: HTTPFields = [:]) -> Request {
        let head = HTTPRequest(
            method: .get, scheme: "http", authority: "localhost", path: "/metrics", headerFields: headers)
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    private func refusal(_ access: MetricsAccess, _ headers: HTTPFields = [:], from address: String) -> ErrorCode? {
        do {
            try access.require(request(headers), from: try SocketAddress(ipAddress: address, port: 1))
            return nil
        } catch {
            return (error as? Problem)?.code
        }
    }

    @Test(arguments: ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"])
    func withoutATokenTheOwnMachineMayAsk(address: String) {
        #expect(refusal(access(), from: address) == nil)
    }

    @Test(arguments: ["10.0.0.1", "::2", "::ffff:10.0.0.1", "2001:db8::1", "7f00::1", "128.0.0.1"])
    func withoutATokenNobodyElseMay(address: String) {
        #expect(refusal(access(), from: address) == .forbidden)
        #expect(refusal(access(), [.authorization: "Bearer "], from: address) == .forbidden)
    }

    @Test(arguments: ["X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"])
    func whatAProxyHandsOnIsNotTheOwnMachines(header: String) throws {
        let headers: HTTPFields = [try #require(HTTPField.Name(header)): "127.0.0.1"]
        #expect(refusal(access(), headers, from: "127.0.0.1") == .forbidden)
        #expect(refusal(access("secret"), [.authorization: "Bearer secret"], from: "127.0.0.1") == nil)
    }

    @Test func aTokenIsAskedOfEverybody() {
        for address in ["127.0.0.1", "10.0.0.1"] {
            #expect(refusal(access("secret"), from: address) == .unauthorized)
            for wrong in ["Bearer secre", "Bearer secrets", "Bearer Secret", "Basic secret", "secret"] {
                #expect(refusal(access("secret"), [.authorization: wrong], from: address) == .unauthorized)
            }
            #expect(refusal(access("secret"), [.authorization: "bearer secret"], from: address) == nil)
        }
    }

    @Test func metricsThatAreOffAreNotThere() {
        #expect(refusal(access(isEnabled: false), from: "127.0.0.1") == .notFound)
        #expect(refusal(access("s", isEnabled: false), [.authorization: "Bearer s"], from: "127.0.0.1") == .notFound)
    }

    @Test func overHTTPATokenOpensThem() async throws {
        var observation = ObservationSettings()
        observation.metrics.token = "secret"
        let scene = try await Scene(observation: observation)
        let refused = try await scene.stranger.send("GET", "/metrics")
        #expect(refused.status == 401)
        #expect(refused.code == "unauthorized")
        #expect(refused.header("WWW-Authenticate") != nil)
        let answer = try await scene.stranger.bearing("secret").send("GET", "/api/v1/metrics/")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
    }

    /// A page of a foreign site whose name resolves to this machine (DNS rebinding) sends that name as `Host`.
    @Test(arguments: [
        "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.evil.example", "192.0.2.1",
    ])
    func withoutATokenAForeignHostIsRefused(host: String) async throws {
        let scene = try await Scene()
        let answer = try await scene.stranger.send("GET", "/metrics", headers: ["Host": "\(host):8080"])
        #expect(answer.status == 403)
        #expect(answer.at("/detail")?.string?.contains("localhost") == true)
    }

    @Test(arguments: ["localhost", "LocalHost", "127.0.0.1", "[::1]"])
    func underItsOwnNameTheOwnMachineIsAnswered(host: String) async throws {
        let scene = try await Scene()
        for suffix in ["", ":8080"] {
            let answer = try await scene.stranger.send("GET", "/metrics", headers: ["Host": host + suffix])
            #expect(answer.status == 200)
        }
    }

    /// Requests from the loopback address are then the proxy's, whatever headers they have.
    @Test func withoutATokenNobodyMayWhereAProxyIsTrusted() async throws {
        var accounts = Accounts(passwords: .quick)
        accounts.settings.trustsForwardedFor = true
        let scene = try await Scene(accounts: accounts)
        let answer = try await scene.stranger.send("GET", "/metrics", headers: ["Host": "localhost"])
        #expect(answer.status == 403)
        #expect(answer.at("/detail")?.string?.contains("TIDEMARK_METRICS_TOKEN") == true)
    }
}
