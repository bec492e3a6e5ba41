import Foundation
import SyncProtocol

/// The circumstances of a run. Measurements of two runs can only be compared if these are known.
struct LoadCircumstances: Sendable, Equatable {
    /// When the run began.
    let time: Instant
    /// The server's version; nil if it could not be read.
    let version: String?
    /// The load tester's machine.
    let machine: LoadMachine

    init(version: String?, time: Instant, machine: LoadMachine = .current) {
        (self.version, self.time, self.machine) = (version, time, machine)
    }

    /// `2026-11-23 07:12 UTC`.
    var date: String { time.text.prefix(16).replacing("T", with: " ") + " UTC" }
}

extension LoadTarget {
    /// Whether the server is on the same machine as the load tester.
    var isLocal: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }
}
