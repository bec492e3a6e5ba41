import SyncProtocol

extension Problem {
    static let unauthorized = Problem(
        .unauthorized,
        "Send a valid token: Authorization: Bearer … (POST /auth/token/ gives one, or: tidemark token create).")
}
