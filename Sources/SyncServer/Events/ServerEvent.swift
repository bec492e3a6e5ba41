import NIOCore
import SyncEngine
import SyncProtocol
import SyncStore

/// One event of a stream, in the form of https://html.spec.whatwg.org/multipage/server-sent-events.html
enum ServerEvent {
    /// Why a stream ends.
    enum End: String, Sendable {
        case restart
        case tokenExpired = "token_expired"
        case revoked
        case maximumAge = "max_age"
    }

    case hello(expiresIn: Int64?, head: CommitNumber)
    case poke(NewCommits)
    /// `last` is the id of the last poke.
    case ping(last: CommitNumber)
    case bye(End, retryMilliseconds: Int)

    static let mediaType = "text/event-stream"
    /// The longest pause between two events, in seconds.
    static let heartbeat = 25

    var bytes: ByteBuffer { ByteBuffer(string: text) }

    private var text: String {
        switch self {
        case .hello(let expiresIn, let head):
            let data: JSON = [
                "heartbeat_s": .int(Int64(Self.heartbeat)), "expires_in": expiresIn.map(JSON.int) ?? .null,
                "head": .int(head.watermark),
            ]
            return "retry: \(Int.random(in: 1000...5000))\nevent: hello\ndata: \(data.text)\n\n"
        case .poke(let commits):
            var data = commits.heads.mapValues { JSON.int($0.rawValue) }
            if commits.spreadMilliseconds > 0 { data["_spread_ms"] = .int(Int64(commits.spreadMilliseconds)) }
            return "id: \(commits.number.watermark)\nevent: poke\ndata: \(JSON.object(data).text)\n\n"
        case .ping(let last): return "id: \(last.watermark)\nevent: ping\ndata: {}\n\n"
        case .bye(let reason, let retry):
            let data: JSON = ["reason": .string(reason.rawValue), "retry_ms": .int(Int64(retry))]
            return "event: bye\ndata: \(data.text)\n\n"
        }
    }
}
