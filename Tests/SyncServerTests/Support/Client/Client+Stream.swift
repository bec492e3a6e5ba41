import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

extension Client {
    /// The answer to a stream, of which nothing has been read yet. Dropping it closes the connection.
    func openStream(_ query: String = "") async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: server.url + syncPath + "?stream=true" + query)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        return try await Client.raw.execute(request, timeout: Client.deadline)
    }
}
