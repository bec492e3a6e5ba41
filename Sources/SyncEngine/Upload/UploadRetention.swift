/// How long the server keeps what uploads leave besides rows, and how much of it.
package struct UploadRetention: Sendable {
    /// Batch ids, with their answers.
    package let batches: Duration
    /// The change history.
    package let history: Duration
    /// Edits that their authors lost.
    package let inbox: Duration
    /// The most bytes of a user in one project.
    package var bytes = Bytes()

    /// The newest stay.
    package struct Bytes: Sendable {
        package var inbox = 16 << 20
        package var history = 64 << 20
        package var answers = 64 << 20

        package init() {}
    }

    package init(batches: Duration, history: Duration, inbox: Duration, bytes: Bytes = Bytes()) {
        self.batches = batches
        self.history = history
        self.inbox = inbox
        self.bytes = bytes
    }
}
