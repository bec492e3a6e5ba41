import Foundation
import SyncAccounts
import SyncServer
import SyncTestKit
import Testing
@testable import tidemark

/// Where an outside issuer's keys may come from.
@Suite struct KeySourceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [
        "http://id.example.org/keys", "ftp://id.example.org/keys", "http://127.0.0.1@id.example.org/keys",
        "http://127.0.0.1.example.org/keys", "file:///etc/keys.json",
    ])
    func aPlaceThatAnybodyCanAnswerForIsRefused(place: String) {
        #expect(throws: IdentityError.self) { try KeySource.opening(place) }
    }

    @Test(arguments: [
        "https://id.example.org/keys", "http://127.0.0.1:8080/keys", "http://localhost/keys", "http://[::1]:80/keys",
        "keys.json", "/etc/tidemark/keys.json",
    ])
    func filesAndHTTPSAndTheLoopbackAreTaken(place: String) throws {
        #expect(try KeySource.opening(place).name == place)
    }

    @Test func aFileIsReadEachTimeItIsAskedFor() async throws {
        let file = folder.path("keys.json")
        let source = try KeySource.opening(file)
        await #expect(throws: IdentityError.self) { _ = try await source.read() }
        for text in ["first", "second"] {
            try Data(text.utf8).write(to: URL(filePath: file))
            #expect(try await source.read() == Data(text.utf8))
        }
    }

    @Test func anIdentityThatIsHalfSetEndsTheStart() async throws {
        var settings = AccountSettings()
        #expect(try await Accounts(settings).keys == nil)
        settings.identityIssuer = "https://id.example.org/"
        await #expect(throws: IdentityError.self) { _ = try await Accounts(settings) }
        settings.identityAudience = "tidemark"
        settings.identityKeys = "/nonexistent/keys.json"
        let error = await #expect(throws: IdentityError.self) { _ = try await Accounts(settings) }
        #expect(error?.description.contains("/nonexistent/keys.json") == true)
    }
}
