/// A personal access token without its secret. Only the secret's SHA-256 is stored.
package struct StoredToken: Sendable, Equatable {
    package let id: Int64
    package let content: NewToken

    package init(id: Int64, _ content: NewToken) {
        self.id = id
        self.content = content
    }
}
