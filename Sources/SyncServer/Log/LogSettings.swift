package import Logging

/// What an operator can set about the log.
package struct LogSettings: Sendable, Equatable {
    /// The least that is logged; `TIDEMARK_LOG_LEVEL`.
    package var level = Logger.Level.notice
    /// `TIDEMARK_LOG_FORMAT`.
    package var format = ServerLog.Format.text
    /// Whether requests are logged like other news, and not only where `level` is `debug`; `TIDEMARK_LOG_REQUESTS`.
    package var requests = false

    package init() {}

    /// The level of the line that each request gets.
    var requestLevel: Logger.Level { requests ? .info : .debug }

    /// A logger that hands each line to `write`. Shows requests that are wanted, whatever the level.
    package func logger(write: @escaping @Sendable (String) -> Void) -> Logger {
        var logger = Logger(label: "tidemark") { _ in ServerLog(format: format, write: write) }
        logger.logLevel = requests ? min(level, .info) : level
        return logger
    }
}
