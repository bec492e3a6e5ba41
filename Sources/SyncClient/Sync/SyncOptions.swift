/// How the client makes its requests, and how long it keeps trying.
public struct SyncOptions: Sendable, Equatable {
    /// Rows per page; nil leaves the size to the server.
    public var pageSize: Int?
    /// Whether the next page is requested while the last one is stored. Costs the memory of one more page.
    public var readsAhead = true
    /// The most rows in a batch. If the server accepts fewer, the client adapts.
    public var batchRows = 500
    /// The approximate size limit of a batch, in bytes; a single row may be larger. A slow network must be able to send
    /// this much within `requestTimeout`.
    public var batchBytes = 256 << 10
    /// The time limit of one request, including connecting and reading the response. When `patience` is nil, it doubles
    /// with each timeout, up to 32 times.
    public var requestTimeout: Duration = .seconds(30)
    /// How long the client keeps retrying one request before it gives up. Waits that the server asked for
    /// (`Retry-After`) do not count. Nil retries without end; `watch` always does.
    public var patience: Duration? = .seconds(30)
    /// The first wait between two attempts. Each further wait is twice as long, minus a random part of up to half.
    public var firstDelay: Duration = .milliseconds(250)
    /// The longest wait between two attempts, unless the server asks for a longer one.
    public var longestDelay: Duration = .seconds(30)
    /// A sync gives up when `Retry-After` is longer than this, or is sent more than `busyLimit` times in a
    /// row. Ignored when `patience` is nil.
    public var longestBusy: Duration = .seconds(120)
    /// See `longestBusy`.
    public var busyLimit = 10
    /// How often `Syncer.watch` looks for edits, also of other processes. A look costs microseconds.
    public var lookForEdits: Duration = .milliseconds(100)

    /// What the device tells people about itself.
    public var device = DeviceInfo()

    /// The defaults, with this page size.
    public init(pageSize: Int? = nil) { self.pageSize = pageSize }
}
