import Foundation
import SyncClient
import SyncProtocol
import SyncTestKit

/// The mistakes that can be made in front of a server; see `PlantedStore` for the others.
struct Impostor {
    let bug: PlantedBug?
    /// By user and batch id, what was taken first.
    private var bodies: [String: Data] = [:]

    init(bug: PlantedBug?) { self.bug = bug }

    /// What the server gets to see.
    func inward(_ request: TransportRequest) -> TransportRequest {
        guard bug == .noBodyHash, let first = key(request).flatMap({ bodies[$0] }) else { return request }
        var request = request
        request.body = first
        return request
    }

    /// What the network gets to see.
    mutating func outward(_ response: TransportResponse, to request: TransportRequest) -> TransportResponse {
        if bug == .noBodyHash, response.status == 200, let key = key(request), bodies[key] == nil {
            bodies[key] = request.body
        }
        guard bug == .watermarkPerPage, let head = response.headers["tidemark-head"].flatMap({ Int64($0) }),
            var page = (try? JSON(parsing: response.body))?.object, page["timestamp"] != nil
        else { return response }
        page["timestamp"] = .int(head)
        var response = response
        response.body = Data(JSON.object(page).text.utf8)
        return response
    }

    private func key(_ request: TransportRequest) -> String? {
        guard request.method == .post, let batch = (try? JSON(parsing: request.body))?["client_batch_id"]?.string
        else { return nil }
        return (request.headers["Authorization"] ?? "") + batch
    }
}
