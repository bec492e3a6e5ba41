import SyncProtocol
import SyncTestKit

/// Everything that determines a run.
struct Plan: Sendable {
    let seed: UInt64
    let devices: [DeviceSpec]
    var operations: [Operation]

    init(seed: UInt64, mix: Mix = Mix()) {
        var planner = Planner(seed: seed, mix: mix)
        self.seed = seed
        devices = planner.devices
        operations = (0..<mix.length).map { _ in planner.next() }
        operations = planner.withLists(planner.withParts(operations, seed: seed), seed: seed)
        operations = planner.withFiles(operations, seed: seed)
    }
}

/// A device.
struct DeviceSpec: Sendable {
    enum Kind: String, Sendable {
        /// The client library.
        case client
        /// Somebody's own simple client, which uses one batch id for all retries, even if the body has changed.
        case naive
    }

    let kind: Kind
    /// The user of the device, named by the role that they begin with.
    let user: Role
    /// Whether it syncs all projects of its user, and not only the first project.
    let isUserWide: Bool
}

extension DeviceSpec: CustomStringConvertible {
    var description: String { "\(kind) of the \(user)\(isUserWide ? ", of all projects" : "")" }
}

extension Plan: CustomStringConvertible {
    var description: String {
        let owners = devices.enumerated().map { "\($0): \($1)" }.joined(separator: "; ")
        let lines = operations.enumerated().map { "  \($0 + 1). \($1)" }
        return (["seed \(seed); devices \(owners)"] + lines).joined(separator: "\n")
    }
}
