import SyncClient
import SyncProtocol

/// A progress bar on stderr. It shows nothing if stderr is not a terminal.
struct ProgressBar {
    private static let width = 30

    func show(_ progress: SyncProgress) {
        guard Terminal.isInteractive, let text = text(of: progress) else { return }
        Terminal.write("\r\u{1B}[K" + text)
    }

    /// Shows how much of a known number is done.
    func show(_ done: Int, of total: Int, _ unit: String) {
        guard Terminal.isInteractive else { return }
        Terminal.write("\r\u{1B}[K" + bar(done, of: total, unit))
    }

    /// Removes the bar.
    func clear() {
        if Terminal.isInteractive { Terminal.write("\r\u{1B}[K") }
    }

    /// Replaces the bar with a sentence.
    func finish(_ sentence: String) {
        clear()
        Terminal.message(sentence)
    }

    private func text(of progress: SyncProgress) -> String? {
        switch progress {
        case .pulled(let progress): text(progress)
        case .pushed(let progress): "\(counted(progress.rows, "row")) sent"
        case .waiting: nil
        }
    }

    private func text(_ progress: PullProgress) -> String {
        guard let total = progress.total, total > 0 else { return counted(progress.rows, "row") }
        return bar(Int(progress.rows), of: Int(total), "rows")
    }

    private func bar(_ done: Int, of total: Int, _ unit: String) -> String {
        let part = total > 0 ? min(1, Double(done) / Double(total)) : 1
        let filled = Int(part * Double(ProgressBar.width))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: ProgressBar.width - filled)
        return "[\(bar)] \(Int(part * 100)) %  \(done) of \(total) \(unit)"
    }
}
