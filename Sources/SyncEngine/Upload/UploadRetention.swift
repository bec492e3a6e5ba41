/// How long the server keeps what uploads leave besides rows.
package struct UploadRetention: Sendable {
    /// Batch ids, with their answers.
    package let batches: Duration
    /// The change history.
    package let history: Duration
    /// Edits that their authors lost.
    package let inbox: Duration

    package init(batches: Duration, history: Duration, inbox: Duration) {
        self.batches = batches
        self.history = history
        self.inbox = inbox
    }
}
