package import SyncProtocol

/// Token buckets by key. A bucket holds a minute's worth of tokens and fills evenly, and is full at first.
package protocol Throttle: Sendable {
    /// Takes a token from the key's bucket, which gets `perMinute` tokens in a minute. Returns 0 if there was one, and
    /// otherwise the milliseconds until there is one. `perMinute` is at least 1.
    func take(_ key: String, perMinute: Int, at now: Instant) async throws -> Int64

    /// Puts a token back into the key's bucket, which never holds more than a minute's worth.
    func giveBack(_ key: String, perMinute: Int) async throws
}
