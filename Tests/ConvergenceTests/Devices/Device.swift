import SyncClient
import SyncProtocol

/// Somebody's device, whatever runs on it. It lives in its world's actor.
protocol Device: AnyObject {
    var spec: DeviceSpec { get }
    /// What it would ask from.
    var watermark: SyncSeq { get throws }

    /// False where the device does not take the edit, as of a row that it does not have.
    func take(_ edit: Edit) throws -> Bool
    /// Talks to the server until it is done or gives up. Throws `Death` where its process died.
    func perform(_ exchange: Exchange, in world: isolated World) async throws
    /// Asks a server whose numbers are below its own until it has heard that, and no further.
    func meet(_ server: ServerProcess, in world: isolated World) async throws
    /// A new process, after a death.
    func restart() throws
    /// Whether nothing is left to be sent that could be.
    func isSettled(as role: Role?) throws -> Bool
    /// What is wrong with it at rest, in sentences.
    func faults(as role: Role?, in world: isolated World) async throws -> [String]
    /// Every text that the device keeps though the server may not have it.
    func keptTexts() throws -> String
}

/// The device's process died. No part of the client knows this error, so nothing cleans up.
struct Death: Error {}

/// What a run fails with.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
