import Synchronization

/// Limits that keep streams from taking all of the store's readers and holding its log.
package struct StreamSettings: Sendable {
    let deadline: StreamDeadline
    let places: StreamLimit
    /// The size of a chunk, in bytes. Its last row may exceed it.
    let chunkBytes: Int

    /// At most `places` streams longer than a chunk run at a time.
    package init(deadline: StreamDeadline = StreamDeadline(), places: Int = 2, chunkBytes: Int = 256 << 10) {
        self.deadline = deadline
        self.places = StreamLimit(places)
        self.chunkBytes = chunkBytes
    }
}
