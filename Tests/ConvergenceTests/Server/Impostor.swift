import Foundation
import SyncClientCore
import SyncProtocol
import SyncTestKit

/// Bugs that are planted between the network and the server; for the others see `PlantedStore`.
struct Impostor {
    let bug: PlantedBug?
    /// The first body that arrived, by user and batch id.
    private var bodies: [String: Data] = [:]

    init(bug: PlantedBug?) { self.bug = bug }

    /// The request as the server gets it.
    func inward(_ request: TransportRequest) -> TransportRequest {
        if bug == .watermarkAsBase, request.method == .post { return request.withoutBases }
        guard bug == .noBodyHash, let first = key(request).flatMap({ bodies[$0] }) else { return request }
        var request = request
        request.body = first
        return request
    }

    /// The answer as the network gets it.
    mutating func outward(_ response: TransportResponse, to request: TransportRequest) -> TransportResponse {
        if bug == .noBodyHash, response.status == 200, let key = key(request), bodies[key] == nil {
            bodies[key] = request.body
        }
        if bug == .leaverForgotten, response.status == 200 { return response.withoutLeft }
        if bug == .headsOfPartAlone, response.status == 200 { return response.withoutHeadsOutside }
        guard bug == .watermarkPerPage, let head = response.headers["tidemark-head"].flatMap({ Int64($0) }),
            var page = (try? JSON(parsing: response.body))?.object, page["timestamp"] != nil
        else { return response }
        page["timestamp"] = .int(head)
        return response.with(page)
    }

    private func key(_ request: TransportRequest) -> String? {
        guard request.method == .post, let batch = (try? JSON(parsing: request.body))?["client_batch_id"]?.string
        else { return nil }
        return (request.headers["Authorization"] ?? "") + batch
    }
}

extension TransportRequest {
    /// The upload of a client that names no base of its edits.
    fileprivate var withoutBases: TransportRequest {
        guard var upload = (try? JSON(parsing: body))?.object, let changes = upload["changes"]?.object else {
            return self
        }
        upload["changes"] = .object(changes.mapValues(Impostor.withoutBases))
        var request = self
        request.body = Data(JSON.object(upload).text.utf8)
        return request
    }
}

extension Impostor {
    fileprivate static func withoutBases(_ buckets: JSON) -> JSON {
        let lists = (buckets.object ?? [:]).mapValues { rows in
            JSON.array(
                (rows.array ?? []).map { row in
                    guard let members = row.object else { return row }
                    return .object(members.filter { !["base_version", "base_versions"].contains($0.key) })
                })
        }
        return .object(lists)
    }
}

extension TransportResponse {
    /// The page as a client reads it that does not look at `left`.
    fileprivate var withoutLeft: TransportResponse {
        guard var page = (try? JSON(parsing: body))?.object, let changes = page["changes"]?.object else { return self }
        page["changes"] = .object(
            changes.mapValues { .object(($0.object ?? [:]).filter { $0.key != "left" }) })
        return with(page)
    }

    /// The page of a server that tells only the heads of projects in the part.
    fileprivate var withoutHeadsOutside: TransportResponse {
        guard var page = (try? JSON(parsing: body))?.object, let heads = page["heads"]?.object,
            let inside = page["digest"]?.object
        else { return self }
        page["heads"] = .object(heads.filter { inside[$0.key] != nil })
        return with(page)
    }

    fileprivate func with(_ page: [String: JSON]) -> TransportResponse {
        var response = self
        response.body = Data(JSON.object(page).text.utf8)
        return response
    }
}
