/// The times of a watch.
struct WatchTimes: Sendable, Equatable {
    /// How long the `hello` may take: from the sending of the request, and again from the head of the response.
    var hello: Duration = .seconds(5)
    /// How many heartbeats may pass in silence.
    var silence = 2.5
    /// For how long events are not tried again after they were held back, or are not supported.
    var fallback: Duration = .seconds(3600)
    /// The same after the stream was refused for another reason.
    var refusal: Duration = .seconds(60)
    /// For how many seconds the server may hold a waiting pull. A proxy may give up at 60.
    var hold = 25
    /// The wait before a pull that follows an empty one, if the server did not hold that. It doubles each time.
    var firstPause: Duration = .seconds(5)
    /// The longest of these waits.
    var longestPause: Duration = .seconds(30)
    /// A pull comes at least this often.
    var poll: Duration = .seconds(900)
    /// Reconnects come after a random time from zero to this, doubled with each attempt. The server's `retry` replaces
    /// it.
    var reconnect: Duration = .seconds(1)
    /// The longest of these times.
    var longestReconnect: Duration = .seconds(30)
    /// How long before its end a token is renewed.
    var renewal: Duration = .seconds(30)
    /// How long edits wait after the server refused all of them.
    var refused: Duration = .seconds(30)
}
