import ArgumentParser
import Foundation
import SyncAsyncHTTPClient
import SyncClientCore
import SyncProtocol

struct DoctorCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check the way from this machine to a server.",
        discussion: """
            Checks the connection, the certificate, the clocks, compression, the token, events, files and waiting \
            pulls, and prints one line for each, with what to do. To measure how long a change takes, and to send a \
            file, it makes a project called “tidemark doctor” and deletes it; --no-write leaves this out. Exit status \
            1 if something failed; warnings are no failures. The token is read from TIDEMARK_TOKEN or --token-file.
            Example: tidemark doctor https://tidemark.example.org --token-file token
            """)

    @OptionGroup var server: ServerOptions
    @Flag(name: [.customLong("no-write"), .customLong("read-only")], help: "Write nothing to the server.")
    var noWrite = false
    @Flag(help: "Print the result as JSON.") var json = false

    func run() async throws {
        // The checks go on without a reader: they delete the project that they have made.
        var failure: (any Error)?
        let findings = try await findings { finding in
            if json { return }
            do { try Terminal.result(finding.line.plain) } catch { failure = error }
        }
        if let failure { throw failure }
        if json { try Terminal.result(json: JSON.array(findings.map(\.json))) }
        if findings.contains(where: { $0.level == .failure }) { throw ExitCode.failure }
    }

    /// Calls `tell` after each check.
    func findings(
        patience: Duration = .seconds(5), _ tell: @escaping (Finding) -> Void
    ) async throws -> [Finding] {
        try await server.withClient { client in
            var doctor = Doctor(client: client, writes: !noWrite, patience: patience, tell: tell)
            try await doctor.run()
            return doctor.findings
        }
    }
}

/// The checks of `tidemark doctor`, in order.
struct Doctor {
    static let proxyRemedy = "See docs/operations/https-and-proxies.md, “Behind a reverse proxy”."
    static let tokenRemedy = "`tidemark token create` on the server makes a token."

    let client: ServerClient
    /// Whether it may make a project of its own.
    let writes: Bool
    /// How long events may take to come.
    let patience: Duration
    let tell: (Finding) -> Void
    private(set) var findings: [Finding] = []

    init(
        client: ServerClient, writes: Bool, patience: Duration = .seconds(5), tell: @escaping (Finding) -> Void
    ) {
        self.client = client
        self.writes = writes
        self.patience = patience
        self.tell = tell
    }

    /// Stops at a failure that leaves nothing to check after it. Throws only when it is cancelled.
    mutating func run() async throws {
        guard try await checkReach(), try await checkToken() else { return }
        try await attempt("compression") { try await $0.checkCompression() }
        try await checkEvents()
        try await attempt("waiting pulls") { try await $0.checkWaitingPull() }
    }

    mutating func note(_ level: Finding.Level, _ check: String, detail: String, remedy: String? = nil) {
        let finding = Finding(level: level, check: check, detail: detail, remedy: remedy)
        findings.append(finding)
        tell(finding)
    }

    /// Makes a failure of an error of the network.
    mutating func attempt(_ check: String, _ body: (inout Doctor) async throws -> Void) async throws {
        do { try await body(&self) } catch let error as TransportError { note(.failure, check, detail: "\(error)") }
    }
}

// MARK: The connection

extension Doctor {
    /// Returns whether there is a server to go on with.
    private mutating func checkReach() async throws -> Bool {
        let (answer, sent): (ServerClient.Answer, Date)
        do {
            // The first request also opens the connection. The second one shows how far away the server is.
            _ = try await client.ask(.get, "/health/", isOpen: true)
            sent = Date()
            answer = try await client.ask(.get, "/health/", isOpen: true)
        } catch let error as TransportError {
            note(.failure, error.isOfTLS ? "TLS" : "reachability", detail: "\(error)")
            return false
        }
        guard answer.response.status == 200, answer.json["status"]?.string != nil else {
            note(
                .failure, "reachability", detail: "What answers with status \(answer.response.status) is not Tidemark.",
                remedy: "Check the address, and any proxy on the way.")
            return false
        }
        note(.ok, "reachability", detail: "\(client.base) answers in \(answer.time.short).")
        await checkCertificate()
        checkClock(answer, sent)
        return true
    }

    private mutating func checkCertificate() async {
        guard client.base.lowercased().hasPrefix("https") else {
            let host = URL(string: client.base)?.host ?? ""
            let isHere = ["127.0.0.1", "localhost", "::1"].contains(host)
            return note(
                isHere ? .ok : .warning, "TLS", detail: "The connection is not encrypted.",
                remedy: isHere
                    ? nil
                    : "Everybody on the way can read the token. Use https: "
                        + "docs/operations/https-and-proxies.md, “HTTPS”.")
        }
        guard let end = await ServerCertificate.end(url: client.base) else {
            return note(.ok, "TLS", detail: "The certificate is trusted.")
        }
        let finding = Self.judge(certificateUntil: end, at: Date())
        note(finding.level, finding.check, detail: finding.detail, remedy: finding.remedy)
    }

    static func judge(certificateUntil end: Date, at now: Date) -> Finding {
        let days = Int((end.timeIntervalSince(now) / 86400).rounded(.down))
        let detail = "The certificate is trusted, and good for \(counted(days, "day"))."
        guard days < 14 else { return Finding(level: .ok, check: "TLS", detail: detail) }
        return Finding(
            level: .warning, check: "TLS", detail: detail,
            remedy: "Renew it, and see why that does not happen by itself.")
    }

    private mutating func checkClock(_ answer: ServerClient.Answer, _ sent: Date) {
        guard let date = answer.response.headers["date"].flatMap(Self.date) else {
            return note(.skipped, "clock", detail: "The answer has no date.")
        }
        let finding = Self.judge(serverTime: date, sent: sent, took: answer.time)
        note(finding.level, finding.check, detail: finding.detail, remedy: finding.remedy)
    }

    /// The server wrote its time in the middle of the exchange, and cut off the fraction of the second.
    static func judge(serverTime: Date, sent: Date, took: Duration) -> Finding {
        let here = sent.timeIntervalSince1970 + took / .seconds(2)
        let difference = (serverTime.timeIntervalSince1970 + 0.5 - here)
        let size = Duration.seconds(abs(difference))
        guard abs(difference) >= 30 else {
            let isSame = abs(difference) < 1.5
            let detail = isSame ? "The clocks agree." : "The clocks differ by \(size.short)."
            return Finding(level: .ok, check: "clock", detail: detail)
        }
        return Finding(
            level: .warning, check: "clock",
            detail: "The server's clock is \(size.long) \(difference > 0 ? "ahead of" : "behind") this one.",
            remedy: "Set the one that is wrong: tokens end at the wrong time, and with on_conflict=newest edits lose.")
    }

    static func date(_ header: String) -> Date? { HTTPDate.date(header) }
}

extension TransportError {
    fileprivate var isOfTLS: Bool {
        switch self {
        case .untrusted, .noTLS: true
        default: false
        }
    }
}

// MARK: Requests with the token

extension Doctor {
    /// Returns whether the token is good.
    private mutating func checkToken() async throws -> Bool {
        var isGood = false
        try await attempt("token") { doctor in
            let answer = try await doctor.client.ask(.get, "/auth/me/")
            guard answer.response.status == 200, let name = answer.json["username"]?.string else {
                let isRefused = answer.response.status == 401
                return doctor.note(
                    .failure, "token", detail: isRefused ? "It is wrong, expired or revoked." : answer.problem,
                    remedy: isRefused ? Self.tokenRemedy : nil)
            }
            isGood = true
            doctor.note(.ok, "token", detail: "It is \(name)'s.")
        }
        return isGood
    }

    /// The schema is there on every server, and large enough to be worth compressing.
    private mutating func checkCompression() async throws {
        let answer = try await client.ask(.get, "/schemas/")
        let size = answer.response.body.count
        guard answer.response.status == 200 else { return note(.failure, "compression", detail: answer.problem) }
        if answer.response.headers["content-encoding"] == "gzip" {
            note(.ok, "compression", detail: "Answers come compressed.")
        } else if size > 1400 {
            note(
                .warning, "compression",
                detail: "An answer of \(size.grouped) bytes came uncompressed: a proxy unpacks them.",
                remedy: "Let it pass Accept-Encoding to Tidemark. \(Self.proxyRemedy)")
        } else {
            note(.skipped, "compression", detail: "There is no answer that is long enough.")
        }
    }

    /// Others may change something meanwhile, so an early answer is tried again.
    private mutating func checkWaitingPull() async throws {
        for _ in 0..<3 {
            let first = try await client.ask(.get, "/sync/?since=0&page_size=1")
            guard first.response.status == 200, let head = first.json["timestamp"]?.int else {
                return note(
                    .skipped, "waiting pulls",
                    detail: "The server does not sync all projects at once: it is an older version.")
            }
            let held = try await client.ask(.get, "/sync/?since=\(head)&wait=1")
            guard held.response.status == 200 else {
                return note(
                    .warning, "waiting pulls", detail: "A pull that waits for a second is refused: \(held.problem)",
                    remedy: "A proxy on the way may end requests that take long. \(Self.proxyRemedy)")
            }
            if held.time > .milliseconds(900) {
                return note(.ok, "waiting pulls", detail: "A pull waited for changes for \(held.time.short).")
            }
        }
        note(
            .warning, "waiting pulls",
            detail: "The server does not hold pulls: it is an older version, or busy with changes.")
    }
}

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
        case nil: return note(.warning, "events", detail: heldBack, remedy: Self.unbuffered)
        case .opened(let refusal?): return noteRefusal(refusal)
        case .ended(let error):
            return note(
                .warning, "events", detail: "\(error)", remedy: "Clients use waiting pulls. \(Self.proxyRemedy)")
        default: break
        }
        let hello = try await ear.next(within: patience) { $0.isEvent("hello") }
        guard case .event(let event)? = hello else {
            return note(.warning, "events", detail: heldBack, remedy: Self.unbuffered)
        }
        note(.ok, "events", detail: "The stream begins after \((ContinuousClock.now - begun).short).")
        noteEnd((try? JSON(parsing: event.data.utf8))?["expires_in"]?.int)
        try await attempt("time to a change") { try await $0.checkPoke(ear) }
    }

    private mutating func noteRefusal(_ refusal: TransportResponse) {
        let detail = (try? JSON(parsing: refusal.body))?["detail"]?.string
        switch refusal.status {
        case 404, 405, 406:
            note(
                .warning, "events", detail: "The server has none: it is an older version.",
                remedy: "Clients use waiting pulls.")
        default:
            note(
                .warning, "events", detail: detail ?? "They are refused with status \(refusal.status).",
                remedy: "Clients use waiting pulls until events are served.")
        }
    }

    private mutating func noteEnd(_ seconds: Int64?) {
        guard let seconds else { return note(.ok, "end of the token", detail: "It does not end by itself.") }
        let isNear = seconds < 3 * 86400
        note(
            isNear ? .warning : .ok, "end of the token", detail: "It ends in \(Duration.seconds(seconds).long).",
            remedy: isNear ? "Make a new one in time. \(Self.tokenRemedy)" : nil)
    }
}

// MARK: The time from a write to its poke

extension Doctor {
    /// Makes a project of its own, which is deleted again in any case.
    private mutating func checkPoke(_ ear: EventEar) async throws {
        let check = "time to a change"
        guard writes else { return note(.skipped, check, detail: "Nothing is written, as asked for.") }
        let made = try await client.ask(
            .post, "/projects/", body: ["name": "tidemark doctor", "start_date": "2026-01-01"])
        guard made.response.status == 201, let id = made.json["id"]?.string else {
            return note(.skipped, check, detail: "It needs a write, and that is refused: \(made.problem)")
        }
        let time: Result<Duration?, any Error>
        do {
            let poke = try await pokeTime(ear, id)
            try await checkFile(to: id)
            time = .success(poke)
        } catch { time = .failure(error) }
        let deleted = try await client.ask(.delete, "/projects/\(id)/")
        if deleted.response.status != 204 {
            note(
                .warning, check, detail: "The project “tidemark doctor” could not be deleted: \(deleted.problem)",
                remedy: "Delete it.")
        }
        guard let time = try time.get() else {
            return note(
                .failure, check, detail: "The server did not tell of a write within \(patience.short).",
                remedy: Self.unbuffered)
        }
        let isSlow = time > patience / 5
        note(
            isSlow ? .warning : .ok, check, detail: "A change is told after \(time.short).",
            remedy: isSlow ? "A proxy may hold back events for a while. \(Self.proxyRemedy)" : nil)
    }

    /// How long it takes from the sending of a write until its poke is here; nil if none comes.
    private func pokeTime(_ ear: EventEar, _ id: String) async throws -> Duration? {
        guard case .event? = try await ear.next(within: patience, { $0.isPoke(of: id) }) else { return nil }
        // A poke within 100 ms after another one waits.
        try await ear.drain(.milliseconds(300))
        let begun = ContinuousClock.now
        _ = try await client.ask(.patch, "/projects/\(id)/", body: ["description": "checked"])
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

/// What one check of `tidemark doctor` found.
struct Finding: Sendable, Equatable {
    enum Level: String, Sendable {
        case ok
        /// It works, but not as well as it could.
        case warning
        case failure
        /// The check was left out.
        case skipped
    }

    let level: Level
    /// What was checked.
    let check: String
    /// What was found.
    let detail: String
    /// What to do about it.
    var remedy: String?

    var line: String {
        let level = level.rawValue.padding(to: 8)
        return "\(level) \(check): \(detail)" + (remedy.map { " \($0)" } ?? "")
    }

    var json: JSON {
        [
            "check": .string(check), "result": .string(level.rawValue), "detail": .string(detail),
            "remedy": remedy.map(JSON.string) ?? .null,
        ]
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Duration {
    /// For people: `3 ms` or `2.5 s`.
    var short: String {
        let milliseconds = Int((self / .milliseconds(1)).rounded())
        return milliseconds < 1000 ? "\(milliseconds) ms" : "\(Double(milliseconds / 100) / 10) s"
    }

    /// For people, in whole days, hours, minutes or seconds.
    var long: String {
        let seconds = components.seconds
        let units: [(Int64, String)] = [(86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
        let (size, name) = units.first { seconds >= 2 * $0.0 } ?? (1, "second")
        return counted(Int(seconds / size), name)
    }
}
