import ArgumentParser
import Foundation
import ServiceLifecycle
import SyncAccounts
import SyncServer
import SyncStore
import SyncStoreSQLite

/// What the server prints once it listens.
struct Greeting {
    let database: String
    let engine: String
    let demo: Demo.Greeting?
    /// The command to type next; nil if there are users already.
    let firstCommand: String?

    func show(url: String) {
        Terminal.message(lines(url: url).joined(separator: "\n"))
        if let demo { try? Terminal.result(demo.text(url: url)) }
    }

    func lines(url: String) -> [String] {
        let lines = [
            "Tidemark serves \(database) (\(engine)) on \(url)",
            "Open this address in a browser to see the console. The API is described on \(url)/docs/",
        ]
        return lines + [firstCommand.map { "There is no user yet. Add one: \($0)" }].compactMap(\.self)
    }
}
