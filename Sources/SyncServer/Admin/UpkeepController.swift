import Foundation
import HTTPTypes
import Hummingbird
import SyncProtocol
import SyncStore

/// `/admin/backups/` and `/admin/checks/`.
struct UpkeepController<Store: SyncStore>: Sendable {
    let service: UpkeepService<Store>

    func backups(_ request: Request, _ context: CallerContext) async throws -> Response {
        Reply(try service.backups(for: context.caller)).response(to: request)
    }

    func backUp(_ request: Request, _ context: CallerContext) async throws -> Response {
        let state = try await service.backUp(by: context.caller, context.logger)
        return Reply(status: .accepted, state).response(to: request)
    }

    func check(_ request: Request, _ context: CallerContext) async throws -> Response {
        Reply(try service.check(for: context.caller)).response(to: request)
    }

    func startCheck(_ request: Request, _ context: CallerContext) async throws -> Response {
        let state = try await service.startCheck(of: nil, by: context.caller, context.logger)
        return Reply(status: .accepted, state).response(to: request)
    }

    func checkBackup(_ request: Request, _ context: CallerContext) async throws -> Response {
        let file = try context.parameters.require("file")
        let state = try await service.startCheck(
            of: file.removingPercentEncoding ?? file, by: context.caller, context.logger)
        return Reply(status: .accepted, state).response(to: request)
    }
}
