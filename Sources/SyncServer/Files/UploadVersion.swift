import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The version of the draft that a client speaks, from `Upload-Draft-Interop-Version`. Apple's URLSession sends one with
/// every upload since iOS 17, and upgrades it if the server answers with 104 at once:
/// https://datatracker.ietf.org/doc/draft-ietf-httpbis-resumable-upload/
struct UploadVersion {
    /// 3 is that of draft 01, 5 of 03, 6 of 05, and 8 of 12.
    private static let known = [3, 5, 6, 8]

    private let number: Int

    /// Nil if the client names no version, or one that is not known.
    init?(_ request: Request) {
        guard let text = request.headers[.uploadVersion], let number = Int(text), Self.known.contains(number) else {
            return nil
        }
        self.number = number
    }

    /// `Upload-Incomplete` became `Upload-Complete` after version 3.
    var saysIncomplete: Bool { number == 3 }

    /// Whether a piece has a media type of its own.
    var namesPieces: Bool { number >= 6 }

    /// Sends the interim answer that tells where an upload goes on.
    func tell(_ location: String, on channel: any Channel) {
        let answer = HTTPResponse(
            status: HTTPResponse.Status(code: 104, reasonPhrase: "Upload Resumption Supported"),
            headerFields: [.uploadVersion: String(number), .location: location])
        channel.writeAndFlush(HTTPResponsePart.head(answer), promise: nil)
    }

    /// Says what an answer tells of an upload in the words of this version.
    func translate(_ headers: inout HTTPFields) {
        headers[.uploadVersion] = String(number)
        guard saysIncomplete, let isComplete = headers[.uploadComplete] else { return }
        headers[.uploadComplete] = nil
        headers[.uploadIncomplete] = isComplete == "?1" ? "?0" : "?1"
    }
}

/// Decides who gets 104. Some proxies take it for the final answer, nginx among them, and the next answer on the
/// connection is lost. So it goes only to clients without a proxy, unless the operator knows better.
struct InterimAnswers: Sendable {
    /// `TIDEMARK_FILES_INTERIM`: to everybody, or to nobody; nil to clients without a proxy.
    let setting: Bool?
    let trustsForwardedFor: Bool

    func go(to request: Request) -> Bool {
        // A proxy that says nothing of itself often closes each connection.
        setting ?? !(trustsForwardedFor || request.isForwarded || request.headers[.connection]?.lowercased() == "close")
    }
}

/// The uploads whose client was told to ask where it goes on, instead of sending all again.
///
/// A client that sends all again nevertheless was not reached. What it sends is read then.
final class ToldUploads: Sendable {
    private static let most = 1000

    private let ids = Mutex<Set<String>>([])

    /// Returns whether it is news.
    func tell(_ id: String) -> Bool {
        ids.withLock { ids in
            // Whoever is forgotten here is told once more.
            if ids.count >= Self.most { ids.removeAll() }
            return ids.insert(id).inserted
        }
    }

    /// The client has asked.
    func forget(_ id: String) { _ = ids.withLock { $0.remove(id) } }
}

extension Request {
    /// Headers by which a proxy shows that it forwards somebody else's request.
    private static let proxyHeaders = [
        "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "Via",
    ].compactMap { HTTPField.Name($0) }

    /// Whether a proxy says that it forwards the request.
    var isForwarded: Bool { Self.proxyHeaders.contains { headers[$0] != nil } }
}

extension HTTPField.Name {
    static let uploadVersion = HTTPField.Name("Upload-Draft-Interop-Version")!
    static let uploadIncomplete = HTTPField.Name("Upload-Incomplete")!
}
