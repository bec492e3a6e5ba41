import SyncProtocol
import SyncTestKit

/// All that a run is a function of.
struct Plan: Sendable {
    let seed: UInt64
    let devices: [DeviceSpec]
    var operations: [Operation]

    init(seed: UInt64, mix: Mix = Mix()) {
        var planner = Planner(seed: seed, mix: mix)
        self.seed = seed
        devices = planner.devices
        operations = (0..<mix.length).map { _ in planner.next() }
    }
}

/// A device.
struct DeviceSpec: Sendable {
    enum Kind: String, Sendable {
        /// The library.
        case client
        /// A simple client of somebody's own, which takes a batch id for the name of a retry and not of a body.
        case naive
    }

    let kind: Kind
    /// Whose it is, by the role that the user begins with.
    let user: Role
}

extension Plan: CustomStringConvertible {
    var description: String {
        let owners = devices.enumerated().map { "\($0): \($1.kind) of the \($1.user)" }.joined(separator: ", ")
        let lines = operations.enumerated().map { "  \($0 + 1). \($1)" }
        return (["seed \(seed); devices \(owners)"] + lines).joined(separator: "\n")
    }
}
