import SyncProtocol
import SyncStoreSQLite
import SyncTestKit
import Testing

/// A backup may contain sessions that were ended after it was made.
@Suite(.enabled(if: TestEngine.isSQLite)) struct RestoredSessionTests {
    @Test func aRestoreEndsAllSessionsAndTokensStay() async throws {
        let scene = try await Scene(accounts: Scene.unlimited)
        try await scene.addAlice()
        let session = try await scene.stranger.logIn()
        let viewer = try await scene.client(.viewer)
        _ = try await scene.file.jump()
        #expect(try await scene.stranger.bearing(session.access).me().status == 401)
        #expect(try await scene.stranger.refresh(session.refresh).status == 401)
        #expect(try await scene.stranger.logIn().status == 200)
        #expect(try await viewer.me().status == 200)
    }
}
