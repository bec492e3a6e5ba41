import SyncProtocol

/// A personal access token, without the secret: that is stored as its SHA-256 alone.
package struct StoredToken: Sendable, Equatable {
    package let id: Int64
    package let content: NewToken

    package init(id: Int64, _ content: NewToken) {
        self.id = id
        self.content = content
    }
}
