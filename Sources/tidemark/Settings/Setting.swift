import SyncServer

/// One number that an operator can set: by environment variable, or by key in the configuration file.
struct Setting: Sendable {
    /// The key in the configuration file, its parts nested objects.
    let key: String
    let range: ClosedRange<Int>
    let summary: String
    let path: @Sendable () -> WritableKeyPath<SyncSettings, Int>

    /// `sync.pullPageSize` is `TIDEMARK_SYNC_PULL_PAGE_SIZE`.
    var variable: String {
        let words = key.reduce(into: "") { text, character in
            if character == "." {
                text += "_"
            } else if character.isUppercase {
                text += "_\(character)"
            } else {
                text += character.uppercased()
            }
        }
        return "TIDEMARK_\(words)"
    }

    static let all = [
        Setting(
            key: "sync.pullPageSize", range: 1...5000, summary: "Rows of a page where the client does not say.",
            path: { \.pullPageSize }),
        Setting(
            key: "sync.pullMaxPageSize", range: 1...100_000, summary: "The most rows of a page.",
            path: { \.pullMaximumPageSize }),
        Setting(
            key: "sync.batchMaxRows", range: 1...100_000, summary: "The most rows of an uploaded batch.",
            path: { \.batchMaximumRows }),
        Setting(
            key: "sync.batchRetentionHours", range: 1...87_600, summary: "How long a batch id is remembered.",
            path: { \.batchRetentionHours }),
        Setting(
            key: "sync.uploadRatePerProject", range: 0...1_000_000,
            summary: "Uploads a minute of one user to one project; 0 for no limit.",
            path: { \.uploadRatePerProject }),
        Setting(
            key: "sync.uploadRatePerUser", range: 0...1_000_000,
            summary: "Uploads a minute of one user; 0 for no limit.", path: { \.uploadRatePerUser }),
    ]
}
