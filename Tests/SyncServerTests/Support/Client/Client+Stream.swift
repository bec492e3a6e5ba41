import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

extension Client {
    /// A stream's answer, of which nothing is read yet. Dropping it hangs up.
    func openStream(_ query: String = "") async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: server.url + syncPath + "?stream=true" + query)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        return try await Client.raw.execute(request, timeout: Client.deadline)
    }
}
