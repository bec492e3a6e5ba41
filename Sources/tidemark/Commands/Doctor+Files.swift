import Foundation
import SyncClientCore

extension Doctor {
    private static let file = Data("tidemark doctor\n".utf8)
    private static let digest = "b0d5bf51adb320e0aca0552805f17d8a6b543b8a552ddbdf9a62622e29405dd0"

    /// Sends a file to the project as Apple's URLSession does. The server may send an interim answer, which some
    /// proxies break.
    mutating func checkFile(to project: String) async throws {
        let check = "files"
        var request = client.request(.put, "/projects/\(project)/files/\(Self.digest)/")
        request.body = Self.file
        request.timeout = patience
        request.headers["Upload-Complete"] = "?1"
        request.headers["Upload-Draft-Interop-Version"] = "6"
        let answer: ServerClient.Answer
        do {
            answer = try await client.answer(to: request)
        } catch let error as TransportError {
            return note(
                .failure, check, detail: "A file that URLSession sends does not arrive: \(error)",
                remedy: "A proxy on the way breaks interim answers (104). Let it set X-Forwarded-For, or set "
                    + "TIDEMARK_FILES_INTERIM=false. See docs/operations/https-and-proxies.md, "
                    + "“Files through a proxy”.")
        }
        switch answer.response.status {
        case 200, 201:
            let isInterim = answer.response.headers["location"] != nil
            note(
                .ok, check,
                detail: isInterim
                    ? "They arrive. URLSession goes on after a break: the server sends interim answers (104)."
                    : "They arrive. URLSession begins again after a break: the server sends no interim answers (104) "
                        + "on this way. Tidemark's clients go on.")
        case 404, 405: note(.skipped, check, detail: "The server takes none: it is an older version.")
        case 501: note(.skipped, check, detail: answer.problem)
        default: note(.failure, check, detail: answer.problem, remedy: Self.proxyRemedy)
        }
    }
}
