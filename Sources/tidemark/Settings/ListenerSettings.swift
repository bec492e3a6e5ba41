/// Where the server listens, and how it stops.
struct ListenerSettings: Equatable {
    /// The address to listen on; `TIDEMARK_SERVER_HOST`.
    var host = "127.0.0.1"
    /// The port to listen on, 0 for a free one; `TIDEMARK_SERVER_PORT`.
    var port = 8080
    /// How long requests under way may take to end, in seconds; `TIDEMARK_SERVER_SHUTDOWN_SECONDS`.
    var shutdownSeconds = 10
}
