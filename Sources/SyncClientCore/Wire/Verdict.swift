import Foundation
import SyncProtocol
import SyncTransport

/// What a response means for a sync, whatever the request was. The codes are those of `docs/protocol.md#errors`. A
/// status without the right code proves nothing, since any proxy on the way can answer 403 or 410.
enum Verdict<Content: Sendable & Equatable>: Sendable, Equatable {
    /// A 2xx, and what its body holds.
    case success(Content)
    /// 304: what the client has is up to date.
    case unchanged
    /// Nothing was applied. The same request may succeed later, but not before `after` if the server named a time.
    case retry(after: Duration?, reason: String)
    /// The cursor is void. The watermark is still good.
    case restart(detail: String)
    /// Both the cursor and the watermark are void.
    case resync(detail: String)
    /// The caller has lost access to the project, or it was deleted.
    case wipe(WipeReason, detail: String)
    case refuse(SyncError)

    /// Judges a response. `read` reads the body of a 2xx. If it throws a `JSONError`, the body was truncated or
    /// replaced on the way, so the request counts as not answered.
    init(_ response: TransportResponse, read: (TransportResponse) throws -> Content) {
        switch response.status {
        case 200..<300: self = Verdict(body: response, read)
        case 304: self = .unchanged
        case 408, 429, 500...: self = .retry(after: response.retryAfter, reason: response.problem.detail)
        default: self = Verdict(problem: response.problem, status: response.status)
        }
    }

    private init(body response: TransportResponse, _ read: (TransportResponse) throws -> Content) {
        do {
            self = .success(try read(response))
        } catch let error as SyncError {
            self = .refuse(error)
        } catch {
            self = .retry(after: nil, reason: response.asNoJSON)
        }
    }

    private init(problem: (code: String, detail: String), status: Int) {
        switch (status, ErrorCode(rawValue: problem.code)) {
        case (400, .invalidCursor): self = .restart(detail: problem.detail)
        case (409, .sinceAhead), (410, .sinceExpired): self = .resync(detail: problem.detail)
        case (403, .membershipRevoked): self = .wipe(.membershipRevoked, detail: problem.detail)
        case (410, .projectDeleted): self = .wipe(.projectDeleted, detail: problem.detail)
        default: self = .refuse(.refused(status: status, code: problem.code, detail: problem.detail))
        }
    }
}

// MARK: Answers of others

extension TransportResponse {
    /// What a response says that is no success. The code is empty if the server has not sent it.
    var problem: (code: String, detail: String) {
        let json = try? JSON(parsing: body)
        let detail = json?["detail"]?.string ?? json?["title"]?.string
        return (json?["code"]?.string ?? "", detail ?? asForeign)
    }

    /// The message for a response that the contract does not have. It comes from another program or from a proxy.
    var asForeign: String {
        switch status {
        case 300..<400:
            let target = headers["location"].map { ", to \($0)" } ?? ""
            return
                "The server redirects\(target). Redirects are not followed. Use the address that it redirects to; if "
                + "that is a page to log in, log in there first."
        case 500...: return "The server, or a proxy in front of it, answered with status \(status). Try again later."
        default: return "What answered with status \(status) is not Tidemark. \(Self.remedy)"
        }
    }

    /// The message for a 2xx whose body is not JSON.
    fileprivate var asNoJSON: String {
        let type = headers["content-type"]?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces) ?? ""
        guard !type.isEmpty, type != "application/json" else { return "\(TransportError.cut)" }
        return "What answered is not Tidemark: it sent \(type). \(Self.remedy)"
    }

    private static let remedy =
        "Check the address and its port, and whether this network asks for a log-in or has a proxy on the way."
}

extension SyncError {
    /// Something else answered, in JSON and with a 2xx.
    static func notTidemark(_ response: TransportResponse) -> SyncError {
        .refused(status: response.status, code: "", detail: response.asForeign)
    }
}

extension Verdict<JSON> {
    init(_ response: TransportResponse) { self.init(response) { try JSON(parsing: $0.body) } }
}

extension Verdict<PageResponse> {
    /// Judges the response to a request for a page.
    init(_ response: TransportResponse, pageOf schema: ServerSchema) {
        self.init(response) {
            try PageReader(schema: schema).page(Array($0.body), head: $0.headers["tidemark-head"])
        }
    }
}

extension TransportResponse {
    /// `Retry-After` in seconds (RFC 9110, section 10.2.3). The other form, a date, counts as absent.
    var retryAfter: Duration? {
        headers["retry-after"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? .seconds($0) : nil }
    }
}
