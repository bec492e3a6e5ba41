import SyncEngine

/// The operator's settings for files.
package struct FileSettings: Sendable, Equatable {
    /// The folder for files; empty for one beside the database. `TIDEMARK_FILES_STORE`.
    package var store = ""
    /// Whether all servers on the database have the folder; `TIDEMARK_FILES_SHARED`.
    package var isShared = false
    /// The most megabytes (MiB) of all files of a project; `TIDEMARK_FILES_PROJECT_MB`.
    package var projectMegabytes = 10_240
    /// The most megabytes (MiB) of a file; `TIDEMARK_FILES_MAX_MB`.
    package var maximumMegabytes = 100
    /// How many days a file stays that no row names; `TIDEMARK_FILES_SWEEP_DAYS`.
    package var sweepDays = 30
    /// How many hours an upload stays that gets no bytes; `TIDEMARK_FILES_KEEP_HOURS`.
    package var keepHours = 168
    /// Who is told at the beginning of an upload where it goes on, by 104: `true` is everybody, `false` nobody, and
    /// `auto` who has no proxy; `TIDEMARK_FILES_INTERIM`.
    package var interim = "auto"

    package init() {}

    var limits: FileLimits {
        FileLimits(projectBytes: Int64(projectMegabytes) << 20, fileBytes: Int64(maximumMegabytes) << 20)
    }

    var sendsInterim: Bool? { Bool(interim) }

    var sweepAge: Duration { .seconds(sweepDays * 86_400) }

    var uploadAge: Duration { .seconds(keepHours * 3600) }
}
