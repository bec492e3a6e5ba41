import SyncClient

/// A line on stderr that grows; nothing where nobody watches.
struct ProgressBar {
    private static let width = 30

    func show(_ progress: SyncProgress) {
        guard Terminal.isInteractive else { return }
        Terminal.write("\r\u{1B}[K" + text(of: progress))
    }

    /// Takes the bar away.
    func clear() {
        if Terminal.isInteractive { Terminal.write("\r\u{1B}[K") }
    }

    /// Puts a sentence in the bar's place.
    func finish(_ sentence: String) {
        clear()
        Terminal.message(sentence)
    }

    private func text(of progress: SyncProgress) -> String {
        switch progress {
        case .pulled(let progress): text(progress)
        case .pushed(let progress): "\(progress.rows) rows sent"
        }
    }

    private func text(_ progress: PullProgress) -> String {
        guard let total = progress.total, total > 0 else { return "\(progress.rows) rows" }
        let part = min(1, Double(progress.rows) / Double(total))
        let filled = Int(part * Double(ProgressBar.width))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: ProgressBar.width - filled)
        return "[\(bar)] \(Int(part * 100)) %  \(progress.rows) of \(total) rows"
    }
}
