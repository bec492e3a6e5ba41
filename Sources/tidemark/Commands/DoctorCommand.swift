import Foundation
import SyncClient
import SyncProtocol

/// The checks of `tidemark doctor`, in order.
struct Doctor {
    static let proxyRemedy = "See docs/operations.md, “Behind a reverse proxy”."
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
        (self.client, self.writes, self.patience, self.tell) = (client, writes, patience, tell)
    }

    /// Stops at a failure that leaves nothing to check after it. Throws only when it is cancelled.
    mutating func run() async throws {
        guard try await checkReach(), try await checkToken() else { return }
        try await attempt("compression") { try await $0.checkCompression() }
        try await checkEvents()
        try await attempt("waiting pulls") { try await $0.checkWaitingPull() }
    }

    mutating func note(_ level: Finding.Level, _ check: String, _ detail: String, _ remedy: String? = nil) {
        let finding = Finding(level: level, check: check, detail: detail, remedy: remedy)
        findings.append(finding)
        tell(finding)
    }

    /// Makes a failure of an error of the network.
    mutating func attempt(_ check: String, _ body: (inout Doctor) async throws -> Void) async throws {
        do { try await body(&self) } catch let error as TransportError { note(.failure, check, "\(error)") }
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
            note(.failure, error.isOfTLS ? "TLS" : "reachability", "\(error)")
            return false
        }
        guard answer.response.status == 200, answer.json["status"]?.string != nil else {
            note(
                .failure, "reachability", "What answers with status \(answer.response.status) is not Tidemark.",
                "Check the address, and any proxy on the way.")
            return false
        }
        note(.ok, "reachability", "\(client.base) answers in \(answer.time.short).")
        await checkCertificate()
        checkClock(answer, sent)
        return true
    }

    private mutating func checkCertificate() async {
        guard client.base.lowercased().hasPrefix("https") else {
            let host = URL(string: client.base)?.host ?? ""
            let isHere = ["127.0.0.1", "localhost", "::1"].contains(host)
            return note(
                isHere ? .ok : .warning, "TLS", "The connection is not encrypted.",
                isHere ? nil : "Everybody on the way can read the token. Use https: docs/operations.md, “HTTPS”.")
        }
        guard let end = await ServerCertificate.end(url: client.base) else {
            return note(.ok, "TLS", "The certificate is trusted.")
        }
        let finding = Self.judge(certificateUntil: end, at: Date())
        note(finding.level, finding.check, finding.detail, finding.remedy)
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
            return note(.skipped, "clock", "The answer has no date.")
        }
        let finding = Self.judge(serverTime: date, sent: sent, took: answer.time)
        note(finding.level, finding.check, finding.detail, finding.remedy)
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

    static func date(_ header: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: header)
    }
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
                    .failure, "token", isRefused ? "It is wrong, expired or revoked." : answer.problem,
                    isRefused ? Self.tokenRemedy : nil)
            }
            isGood = true
            doctor.note(.ok, "token", "It is \(name)'s.")
        }
        return isGood
    }

    /// The schema is there on every server, and large enough to be worth compressing.
    private mutating func checkCompression() async throws {
        let answer = try await client.ask(.get, "/schemas/")
        let size = answer.response.body.count
        guard answer.response.status == 200 else { return note(.failure, "compression", answer.problem) }
        if answer.response.headers["content-encoding"] == "gzip" {
            note(.ok, "compression", "Answers come compressed.")
        } else if size > 1400 {
            note(
                .warning, "compression", "An answer of \(size.grouped) bytes came uncompressed: a proxy unpacks them.",
                "Let it pass Accept-Encoding to Tidemark. \(Self.proxyRemedy)")
        } else {
            note(.skipped, "compression", "There is no answer that is long enough.")
        }
    }

    /// Others may change something meanwhile, so an early answer is tried again.
    private mutating func checkWaitingPull() async throws {
        for _ in 0..<3 {
            let first = try await client.ask(.get, "/sync/?since=0&page_size=1")
            guard first.response.status == 200, let head = first.json["timestamp"]?.int else {
                return note(
                    .skipped, "waiting pulls", "The server does not sync all projects at once: it is an older version.")
            }
            let held = try await client.ask(.get, "/sync/?since=\(head)&wait=1")
            guard held.response.status == 200 else {
                return note(
                    .warning, "waiting pulls", "A pull that waits for a second is refused: \(held.problem)",
                    "A proxy on the way may end requests that take long. \(Self.proxyRemedy)")
            }
            if held.time > .milliseconds(900) {
                return note(.ok, "waiting pulls", "A pull waited for changes for \(held.time.short).")
            }
        }
        note(.warning, "waiting pulls", "The server does not hold pulls: it is an older version, or busy with changes.")
    }
}
