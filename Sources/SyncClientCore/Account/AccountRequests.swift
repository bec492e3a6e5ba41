import Foundation
import SyncProtocol

/// The requests of a session, and what their answers mean.
struct AccountRequests {
    let base: String
    let transport: any Transport

    func logIn(_ username: String, _ password: String) async throws -> SessionTokens {
        try tokens(try await post("/auth/token/", ["username": .string(username), "password": .string(password)]))
    }

    /// The next pair. Throws `AccountError.sessionEnded` if there is none.
    func refresh(_ token: String) async throws -> SessionTokens {
        try tokens(try await post("/auth/token/refresh/", ["refresh": .string(token)]))
    }

    func logOut(_ token: String) async throws {
        _ = try Self.body(of: try await post("/auth/logout/", ["refresh": .string(token)]))
    }

    func user(_ token: String) async throws -> AccountUser {
        let headers = ["Authorization": "Bearer \(token)", "Accept": "application/json"]
        let request = TransportRequest(url: base + "/auth/me/", headers: headers, timeout: .seconds(30))
        let answer = try await transport.send(request)
        guard let user = AccountUser(try Self.body(of: answer)) else {
            throw AccountError.notTidemark(status: answer.status)
        }
        return user
    }

    private func post(_ path: String, _ body: JSON) async throws -> TransportResponse {
        let headers = ["Content-Type": "application/json", "Accept": "application/json"]
        return try await transport.send(
            TransportRequest(
                method: .post, url: base + path, headers: headers, body: Data(body.text.utf8), timeout: .seconds(30)))
    }

    private func tokens(_ answer: TransportResponse) throws -> SessionTokens {
        guard let pair = SessionTokens(try Self.body(of: answer)) else {
            throw AccountError.notTidemark(status: answer.status)
        }
        return pair
    }

    /// The body of a 2xx; null if it is empty. Anything else is thrown.
    static func body(of answer: TransportResponse) throws -> JSON {
        let json = try? JSON(parsing: answer.body)
        guard !(200..<300).contains(answer.status) else {
            guard answer.body.isEmpty || json != nil else { throw AccountError.notTidemark(status: answer.status) }
            return json ?? .null
        }
        guard let code = json?["code"]?.string else { throw AccountError.notTidemark(status: answer.status) }
        let detail = json?["detail"]?.string ?? ""
        switch (answer.status, ErrorCode(rawValue: code)) {
        case (401, .invalidCredentials): throw AccountError.wrongPassword(detail: detail)
        case (401, .invalidRefreshToken): throw AccountError.sessionEnded
        default:
            let problems = json?["errors"]?.array?.compactMap(EditProblem.init(answered:)) ?? []
            throw AccountError.refused(status: answer.status, code: code, detail: detail, problems: problems)
        }
    }
}
