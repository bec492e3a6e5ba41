import ArgumentParser

/// A command that says what it does with a server's database. Every command does that has no subcommands; a test walks
/// through all of them. `DatabaseOption` opens a database only for such a command, and in its way.
protocol ClassifiedCommand: ParsableCommand {
    static var databaseUse: DatabaseUse { get }
}
