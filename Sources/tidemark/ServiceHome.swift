import ArgumentParser
import Foundation
import SyncStore

/// The installation that a package has made: its database, its settings, and the user that its server runs as.
///
/// A command that root runs without a database is about this one, and runs as the server's user. A file that root
/// made beside the database would stop the server, which could not open it.
struct ServiceHome {
    /// Where the unit has its database.
    static let installed = ServiceHome(folder: "/var/lib/tidemark", settings: "/etc/tidemark/tidemark.env")

    let folder: String
    var database: String { "\(folder)/tidemark.db" }
    /// A file of `NAME=value` lines, which systemd reads for the server.
    let settings: String

    /// What a command takes over from the installation.
    struct Adoption: Equatable {
        /// Variables that are not set.
        var variables: [String: String]
        var user: uid_t
        var group: gid_t
    }

    /// Nil if the command has a database of its own, if there is no installation, or if somebody else than root asks.
    /// Throws a `CommandError` if the settings can't be read.
    func adoption(
        by command: any ClassifiedCommand.Type, arguments: [String], environment: [String: String],
        isRoot: Bool = geteuid() == 0
    ) throws -> Adoption? {
        // By its usage, since a command such as restore takes a database without opening it.
        guard isRoot, !(command is LoadPrepareCommand.Type), command.usageString().contains("--database"),
            !arguments.contains(where: { $0 == "--database" || $0.hasPrefix("--database=") }),
            Variables.value(of: DatabasePath.variable, in: environment) == nil
        else { return nil }
        let place = URL(filePath: folder).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: place),
            attributes[.type] as? FileAttributeType == .typeDirectory,
            let user = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value, user != 0,
            let group = (attributes[.groupOwnerAccountID] as? NSNumber)?.uint32Value
        else { return nil }
        var variables = [DatabasePath.variable: database]
        variables.merge(try written()) { $1 }
        return Adoption(variables: variables.filter { environment[$0.key] == nil }, user: user, group: group)
    }

    /// The variables of the file of settings. None if there is no such file.
    private func written() throws -> [String: String] {
        guard FileManager.default.fileExists(atPath: settings) else { return [:] }
        let text = String(decoding: try InputFile.read(settings, "file of settings"), as: UTF8.self)
        return Dictionary(text.split(whereSeparator: \.isNewline).compactMap(Self.variable)) { $1 }
    }

    /// What a server reads: its settings, what libpq needs for the database, and the keys of a bucket.
    private static let prefixes = ["TIDEMARK_", "PG", "AWS_"]

    /// A line as systemd reads it: https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html
    /// (`EnvironmentFile=`). A value may be in quotes. Nil for a comment.
    private static func variable(_ line: Substring) -> (String, String)? {
        let line = line.trimmingCharacters(in: .whitespaces)
        guard let first = line.first, !"#;".contains(first), let sign = line.firstIndex(of: "=") else { return nil }
        let name = line[..<sign].trimmingCharacters(in: .whitespaces)
        var value = line[line.index(after: sign)...].trimmingCharacters(in: .whitespaces)
        if value.count >= 2, let quote = value.first, "\"'".contains(quote), value.last == quote {
            value = String(value.dropFirst().dropLast())
        }
        guard prefixes.contains(where: name.hasPrefix) else { return nil }
        return (name, value)
    }
}

extension ServiceHome.Adoption {
    /// Becomes the server's user for good. Throws a `CommandError` if this can't be done; then nothing may be opened.
    func takeEffect() throws {
        for (name, value) in variables { setenv(name, value, 1) }
        guard setgroups(0, nil) == 0, setgid(group) == 0, setuid(user) == 0, geteuid() == user else {
            throw CommandError(
                "Can't become the user \(user), who owns the server's database. Name a database: --database FILE.")
        }
        umask(0o077)
    }
}
