import Foundation
import SyncClient
import SyncProtocol

extension Doctor {
    private var heldBack: String { "A proxy on the way holds them back: nothing came within \(patience.short)." }
    private static let unbuffered =
        "Turn its buffering off for /api/v1/events/ (nginx: proxy_buffering off and proxy_http_version 1.1). Until "
        + "then clients use waiting pulls. \(proxyRemedy)"

    mutating func checkEvents() async throws {
        let ear = EventEar(client)
        let result: Result<Void, any Error>
        do { result = .success(try await checkEvents(ear)) } catch { result = .failure(error) }
        await ear.close()
        try result.get()
    }

    private mutating func checkEvents(_ ear: EventEar) async throws {
        let begun = ContinuousClock.now
        let head = try await ear.next(within: patience) { _ in true }
        switch head {
        case nil: return note(.warning, "events", heldBack, Self.unbuffered)
        case .opened(let refusal?): return noteRefusal(refusal)
        case .ended(let error):
            return note(.warning, "events", "\(error)", "Clients use waiting pulls. \(Self.proxyRemedy)")
        default: break
        }
        let hello = try await ear.next(within: patience) { $0.isEvent("hello") }
        guard case .event(let event)? = hello else {
            return note(.warning, "events", heldBack, Self.unbuffered)
        }
        note(.ok, "events", "The stream begins after \((ContinuousClock.now - begun).short).")
        noteEnd((try? JSON(parsing: event.data.utf8))?["expires_in"]?.int)
        try await attempt("time to a change") { try await $0.checkPoke(ear) }
    }

    private mutating func noteRefusal(_ refusal: TransportResponse) {
        let detail = (try? JSON(parsing: refusal.body))?["detail"]?.string
        switch refusal.status {
        case 404, 405, 406:
            note(.warning, "events", "The server has none: it is an older version.", "Clients use waiting pulls.")
        default:
            note(
                .warning, "events", detail ?? "They are refused with status \(refusal.status).",
                "Clients use waiting pulls until events are served.")
        }
    }

    private mutating func noteEnd(_ seconds: Int64?) {
        guard let seconds else { return note(.ok, "end of the token", "It does not end by itself.") }
        let isNear = seconds < 3 * 86400
        note(
            isNear ? .warning : .ok, "end of the token", "It ends in \(Duration.seconds(seconds).long).",
            isNear ? "Make a new one in time. \(Self.tokenRemedy)" : nil)
    }
}

// MARK: The time from a write to its poke

extension Doctor {
    /// Makes a project of its own, which is deleted again in any case.
    private mutating func checkPoke(_ ear: EventEar) async throws {
        let check = "time to a change"
        guard writes else { return note(.skipped, check, "Nothing is written, as asked for.") }
        let made = try await client.ask(
            .post, "/projects/", ["name": "tidemark doctor", "start_date": "2026-01-01"])
        guard made.response.status == 201, let id = made.json["id"]?.string else {
            return note(.skipped, check, "It needs a write, and that is refused: \(made.problem)")
        }
        let time: Result<Duration?, any Error>
        do { time = .success(try await pokeTime(ear, id)) } catch { time = .failure(error) }
        let deleted = try await client.ask(.delete, "/projects/\(id)/")
        if deleted.response.status != 204 {
            note(
                .warning, check, "The project “tidemark doctor” could not be deleted: \(deleted.problem)", "Delete it.")
        }
        guard let time = try time.get() else {
            return note(
                .failure, check, "The server did not tell of a write within \(patience.short).", Self.unbuffered)
        }
        let isSlow = time > patience / 5
        note(
            isSlow ? .warning : .ok, check, "A change is told after \(time.short).",
            isSlow ? "A proxy may hold back events for a while. \(Self.proxyRemedy)" : nil)
    }

    /// How long it takes from the sending of a write until its poke is here; nil if none comes.
    private func pokeTime(_ ear: EventEar, _ id: String) async throws -> Duration? {
        guard case .event? = try await ear.next(within: patience, { $0.isPoke(of: id) }) else { return nil }
        // A poke within 100 ms after another one waits.
        try await ear.drain(.milliseconds(300))
        let begun = ContinuousClock.now
        _ = try await client.ask(.patch, "/projects/\(id)/", ["description": "checked"])
        guard case .event? = try await ear.next(within: patience, { $0.isPoke(of: id) }) else { return nil }
        return ContinuousClock.now - begun
    }
}

extension EventEar.Sign {
    fileprivate func isEvent(_ name: String) -> Bool {
        if case .event(let event) = self { event.name == name } else { false }
    }

    fileprivate func isPoke(of project: String) -> Bool {
        guard isEvent("poke"), case .event(let event) = self else { return false }
        return (try? JSON(parsing: event.data.utf8))?[project] != nil
    }
}
