/// How the client asks, and how long it keeps asking.
public struct SyncOptions: Sendable, Equatable {
    /// Rows per page; nil leaves it to the server.
    public var pageSize: Int?
    /// Whether the next page is asked for while the last is being stored. Costs the memory of one more page.
    public var readsAhead = true
    /// Rows per batch. A server that takes fewer says so, and is heeded.
    public var batchRows = 500
    /// Bytes per batch, roughly; one row alone may be larger. So small that a slow network carries it within
    /// `requestTimeout`.
    public var batchBytes = 256 << 10
    /// For one request, connecting and reading included.
    public var requestTimeout: Duration = .seconds(30)
    /// How long one request may stay without a usable answer, retries included, before the client gives up. Waiting that
    /// the server asked for (`Retry-After`) does not count. Nil retries for ever; `watch` always does.
    public var patience: Duration? = .seconds(30)
    /// The first wait between two tries; each further one is twice as long, less up to half at random.
    public var firstDelay: Duration = .milliseconds(250)
    /// No wait of our own is longer.
    public var longestDelay: Duration = .seconds(30)
    /// A `Retry-After` beyond this, or more of them in a row than `busyLimit`, ends a sync with limited patience.
    public var longestBusy: Duration = .seconds(120)
    /// See `longestBusy`.
    public var busyLimit = 10

    /// The defaults.
    public init(pageSize: Int? = nil) { self.pageSize = pageSize }
}
