import Foundation
import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol
import SyncStore

/// `/devices/` and `/projects/{project}/devices/`.
struct DeviceController<Store: SyncStore>: Sendable {
    let service: DeviceService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        return reply(
            try await service.list(
                of: try query.userID(), after: try place(query), limit: try query.limit(default: 100, maximum: 500),
                for: context.caller)
        ).response(to: request)
    }

    func listOfProject(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        return reply(
            try await service.list(
                of: try context.parameters.require("project"), after: try place(query),
                limit: try query.limit(default: 100, maximum: 500), for: context.caller)
        ).response(to: request)
    }

    func forget(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.parameters.require("id")
        try await service.forget(
            id.removingPercentEncoding ?? id, of: try Query(request).userID(), by: context.caller)
        return Response(status: .noContent)
    }

    private func reply(_ page: (results: [JSON], next: DevicePlace?)) -> Reply {
        Reply(results: page.results, next: page.next?.text)
    }

    private func place(_ query: Query) throws -> DevicePlace {
        guard let text = query.text("after"), !text.isEmpty else { return .start }
        guard let place = DevicePlace(text) else {
            throw Problem(.invalidParameter, "after takes the next of the previous page, unchanged.")
        }
        return place
    }
}
