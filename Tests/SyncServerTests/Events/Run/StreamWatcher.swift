import SyncProtocol

/// A user's event stream. It is opened again when it has ended, from the last event on.
final class StreamWatcher {
    /// By project: the greatest head that was poked, and all of them.
    private(set) var heads: [String: Int64] = [:]
    private(set) var poked: [String: Set<Int64>] = [:]
    private(set) var faults: [String] = []
    var client: Client
    private let dropsMerged: Bool
    /// What was poked since the lobby was, if that comes merged.
    private var gathered: [String: JSON] = [:]
    private let givesUp: Bool
    private var reader: EventReader?
    private var last: String?

    /// With `dropsMerged`, all pokes until that of the lobby come as one, which loses a project on the way. One that
    /// `givesUp` takes a ping for the end of its hopes; on a slow machine a ping can also lie in front of a poke that
    /// nobody has read yet.
    init(_ client: Client, dropsMerged: Bool, givesUp: Bool) {
        (self.client, self.dropsMerged, self.givesUp) = (client, dropsMerged, givesUp)
    }

    func open() async throws {
        let reader = try await EventReader(client, headers: last.map { ["Last-Event-ID": $0] } ?? [:])
        guard let hello = try await reader.next(), hello.name == "hello" else { return faults.append("no hello") }
        // A client pulls after the first `hello`, and so knows everything up to there.
        last = last ?? hello.data["head"]?.text
        self.reader = reader
    }

    /// Hangs up. What was not read is lost.
    func cut() { reader = nil }

    /// Reads until the project was poked with this head.
    func read(until project: String, _ head: Int64) async throws {
        while heads[project] ?? 0 < head {
            if reader == nil { try await open() }
            // The server may have stopped in the middle.
            guard let event = (try? await reader?.next()) ?? nil, event.name != "bye" else {
                reader = nil
                continue
            }
            take(event)
            if event.name == "ping", givesUp { return faults.append("no poke came, only a ping") }
        }
    }

    private func take(_ event: ReceivedEvent) {
        if let id = event.id {
            if let last, (Int64(id) ?? 0) < (Int64(last) ?? 0) { faults.append("event \(id) came after \(last)") }
            last = id
        }
        guard event.name == "poke" else { return }
        var projects = event.data.object ?? [:]
        if dropsMerged {
            gathered.merge(projects) { $1 }
            guard gathered[FeedRun.lobby] != nil else { return }
            projects = gathered
            gathered = [:]
            if let first = projects.keys.filter({ $0 != FeedRun.lobby }).min() { projects[first] = nil }
        }
        for (project, head) in projects {
            let head = head.int ?? 0
            heads[project] = max(heads[project] ?? 0, head)
            poked[project, default: []].insert(head)
        }
    }
}
