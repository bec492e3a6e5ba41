/// One event of a stream.
package struct ServerSentEvent: Sendable, Equatable {
    /// The value of `event`; `message` if there was none.
    package var name: String
    /// The lines of `data`, joined with line feeds.
    package var data: String
}
