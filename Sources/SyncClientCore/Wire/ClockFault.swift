package import Foundation
import SyncProtocol
import SyncTransport

/// Why a clock is to blame for a refused token. Only a token that tells its times can be judged, and only by an answer
/// that tells its own.
enum ClockFault: Sendable, Equatable {
    /// The server's code for a refusal is `unauthorized`. An app that meets this one need not ask for a password.
    static let code = "clock_off"
    /// By how much clocks may differ, as on the server.
    private static let leeway = Duration.seconds(60)

    /// The token is not valid yet. The value is by how much the server's clock is ahead of the device's.
    case notValidYet(Duration)
    /// The token has ended. The value is by how much the server's clock is ahead of the device's.
    case ended(Duration)
    /// Both clocks agree. The value is by how much the issuer's is ahead of them.
    case issuedAhead(Duration)

    /// Nil if no clock is to blame. `now` is the device's time.
    init?(token: String, refusedBy answer: TransportResponse, at now: Instant) {
        guard answer.status == 401, let server = answer.headers["date"].flatMap(HTTPDate.date),
            let times = TokenTimes(token)
        else { return nil }
        let date = server.timeIntervalSince1970
        let here = Double(now.milliseconds) / 1000
        let gap = Duration(told: date - here)
        let early = Duration(told: times.start - date)
        if early > Self.leeway {
            self = gap < .zero - Self.leeway ? .notValidYet(gap) : .issuedAhead(early)
        } else if date >= times.end, here < times.end, gap > Self.leeway {
            self = .ended(gap)
        } else {
            return nil
        }
    }
}

extension ClockFault: CustomStringConvertible {
    /// What is wrong and what to do.
    var description: String {
        switch self {
        case .notValidYet(let gap): "The token is not valid yet \(Self.remedy(gap))"
        case .ended(let gap): "The token has ended \(Self.remedy(gap))"
        case .issuedAhead(let gap):
            "The token is not valid yet: whoever issued it has a clock that is \(Self.span(gap)) the server's. That "
                + "clock has to be set; a new log-in does not help."
        }
    }

    private static func remedy(_ gap: Duration) -> String {
        "by the server's clock, which is \(span(gap)) this device's. Set the clock that is wrong, and log in again."
    }

    /// How far apart, and in which direction: `2 hours ahead of`.
    private static func span(_ gap: Duration) -> String {
        let seconds = abs(gap / .seconds(1))
        let units = [("day", 86400.0), ("hour", 3600), ("minute", 60)]
        let (unit, length) = units.first { seconds >= $0.1 } ?? ("minute", 60)
        let count = max(1, Int((seconds / length).rounded()))
        return "\(counted(count, unit)) \(gap > .zero ? "ahead of" : "behind")"
    }
}

extension TransportResponse {
    /// The answer to a request with this token. If a clock is to blame for a refusal, it says so.
    func judged(token: String, at now: Instant) -> TransportResponse {
        guard let fault = ClockFault(token: token, refusedBy: self, at: now) else { return self }
        var answer = self
        let problem: JSON = ["code": .string(ClockFault.code), "detail": .string("\(fault)"), "status": .int(401)]
        answer.body = Data(problem.text.utf8)
        return answer
    }
}

/// The seconds since 1970 between which a JSON Web Token says that it is valid.
private struct TokenTimes {
    let start: Double
    let end: Double

    /// Nil for a token that does not tell.
    init?(_ token: String) {
        guard let claims = JSON(claimsOf: token), let end = claims["exp"]?.number else { return nil }
        self.end = end
        start = claims["nbf"]?.number ?? -.infinity
    }
}

extension JSON {
    /// What a JSON Web Token says; nil for another token. Its signature is not looked at.
    init?(claimsOf token: String) {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let claims = Base64URL.decode(String(parts[1])),
            let json = try? JSON(parsing: claims)
        else { return nil }
        self = json
    }
}

extension Duration {
    /// As many seconds as somebody tells, who may tell anything: at most some thousand years.
    init(told seconds: Double) {
        let most = 1e11
        self = .seconds(min(max(seconds, -most), most))
    }
}

/// A time in a header (RFC 9110, section 5.6.7).
package enum HTTPDate {
    /// Nil for another form than `Tue, 24 Nov 2026 02:30:34 GMT`.
    package static func date(_ header: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: header)
    }
}
