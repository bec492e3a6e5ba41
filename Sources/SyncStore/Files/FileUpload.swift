package import SyncProtocol

/// An upload of a file that may break off and go on. Its bytes are in parts in the file store, one for each request
/// that brought some.
package struct FileUpload: Sendable, Equatable {
    /// A part of the bytes, which follow those of the part before.
    package struct Part: Sendable, Equatable {
        /// The name in the file store. A name is never used twice.
        package let name: String
        /// How many bytes of it count. It may have more, which were not safe.
        package let bytes: Int64

        package init(name: String, bytes: Int64) { (self.name, self.bytes) = (name, bytes) }
    }

    /// Random; nobody guesses it.
    package let id: String
    package let project: String
    /// Who sends the file.
    package let user: Int64
    /// The SHA-256 that the bytes have to have.
    package let digest: String
    /// How many bytes the file has; nil if the client has not said.
    package let length: Int64?
    /// How many bytes are kept free for it.
    package let reserved: Int64
    /// How many bytes are safe: those of all parts.
    package var received: Int64
    /// Counts the requests that went on with it. Only the last one may add to it.
    package var turn: Int64
    /// When the last bytes came.
    package var movedAt: Instant
    /// When the file was complete; nil as long as it is not.
    package var finishedAt: Instant?

    package init(
        id: String, project: String, user: Int64, digest: String, length: Int64?, reserved: Int64, received: Int64 = 0,
        turn: Int64 = 0, movedAt: Instant, finishedAt: Instant? = nil
    ) {
        self.id = id
        self.project = project
        self.user = user
        self.digest = digest
        self.length = length
        self.reserved = reserved
        self.received = received
        self.turn = turn
        self.movedAt = movedAt
        self.finishedAt = finishedAt
    }
}

/// Reads of uploads that may go on.
package protocol FileUploadReads {
    func fileUpload(_ id: String) throws -> FileUpload?
    /// In the order of their bytes.
    func parts(ofUpload id: String) throws -> [FileUpload.Part]
    /// The newest upload of the user that is not finished; nil if there is none.
    func unfinishedUpload(of digest: String, to project: String, by user: Int64) throws -> FileUpload?
    /// The number of unfinished uploads, and the bytes that are kept free for them: of a user, or in a project. One
    /// that got no bytes since `quiet` takes up what it has received.
    func uploadUse(of user: Int64, quietSince quiet: Instant) throws -> FileUse
    func uploadUse(in project: String, quietSince quiet: Instant) throws -> FileUse
    /// Uploads of all projects that got their last bytes before one time, and those that were finished before another.
    func oldUploads(movedBefore: Instant, finishedBefore: Instant, limit: Int) throws -> [FileUpload]
    /// Which of these names are of parts.
    func knownParts(among names: [String]) throws -> Set<String>
}

/// Changes of uploads that may go on. A write of the project makes them.
package protocol FileUploadWrites {
    func add(_ upload: FileUpload) throws
    /// Gives the next request its turn. Returns the upload as it is now; nil if there is none.
    func takeTurn(ofUpload id: String) throws -> FileUpload?
    /// Records that so many bytes of the last part are safe. A name that is new begins a part.
    func note(_ part: FileUpload.Part, ofUpload id: String, at: Instant) throws
    /// Records that the file is complete, and has so many bytes, and forgets the parts.
    func finish(_ upload: FileUpload, bytes: Int64, at: Instant) throws
    /// Forgets the upload and its parts.
    func forget(_ upload: FileUpload) throws
}
