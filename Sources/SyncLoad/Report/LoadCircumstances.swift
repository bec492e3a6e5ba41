import Foundation
import SyncProtocol

/// Under which circumstances a run was made: without them no figure can be compared with another.
struct LoadCircumstances: Sendable, Equatable {
    /// When the run began.
    let time: Instant
    /// The server's version; nil where it does not tell.
    let version: String?
    /// Of the load tester.
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
