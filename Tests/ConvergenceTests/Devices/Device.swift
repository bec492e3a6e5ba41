import SyncClientCore
import SyncProtocol

/// Somebody's device, whatever client it runs. It belongs to its world's actor.
protocol Device: AnyObject {
    var spec: DeviceSpec { get }
    /// The watermark that it would send as `since`.
    var watermark: SyncSeq { get throws }
    /// Whether a drain has begun and not ended.
    var isDraining: Bool { get throws }

    /// Returns false if the device does not take the edit, for example of a row that it does not have.
    func take(_ edit: Edit) throws -> Bool
    /// Holds these parts from its next sync on. A simple client holds everything.
    func hold(_ filters: [JSON]) throws
    /// Talks to the server until it is done or gives up. Throws `Death` if the device's process died.
    func perform(_ exchange: Exchange, in world: isolated World) async throws
    /// Sends requests to a server whose numbers are below the
    /// device's watermark until it has learned that, and no further.
    func meet(_ server: ServerProcess, in world: isolated World) async throws
    /// Starts a new process after a death.
    func restart() throws
    /// Whether nothing is left that could be sent. `roles` are its user's in the projects that it syncs.
    func isSettled(as roles: [String: Role]) throws -> Bool
    /// What is wrong with the device when nothing is under way, in sentences.
    func faults(as roles: [String: Role], in world: isolated World) async throws -> [String]
    /// Every text that the device still keeps because the server may not have it.
    func keptTexts() throws -> String
}

/// The device's process died. No part of the client knows this error, so nothing cleans up.
struct Death: Error {}

/// Why a run failed.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
