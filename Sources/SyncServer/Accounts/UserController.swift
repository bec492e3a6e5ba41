import Hummingbird
import SyncEngine
import SyncProtocol
import SyncStore

/// `GET /users/`.
struct UserController<Store: SyncStore>: Sendable {
    let directory: UserDirectory<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let (limit, after) = try query.idPage()
        let question = UserDirectory<Store>.Question(
            project: query.text("project"), username: query.text("username"), after: after, limit: limit + 1)
        let users = try await directory.list(question, for: context.caller)
        return Reply(page: users, limit: limit).response(to: request)
    }
}
