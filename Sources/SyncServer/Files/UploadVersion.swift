import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// The version of the draft that a client speaks, from `Upload-Draft-Interop-Version`. Apple's URLSession sends one
/// with every upload since iOS 17, and upgrades it if the server answers with 104 at once:
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

extension HTTPField.Name {
    static let uploadVersion = HTTPField.Name("Upload-Draft-Interop-Version")!
    static let uploadIncomplete = HTTPField.Name("Upload-Incomplete")!
}
