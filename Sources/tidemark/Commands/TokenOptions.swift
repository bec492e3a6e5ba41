import ArgumentParser
import Foundation
import SyncAsyncHTTPClient
import SyncClientCore
import SyncServer

/// The token of a command that talks to a server. It can come from a file or
/// the environment, because every user of the machine can read a command line.
struct TokenOptions: ParsableArguments {
    static let variable = "TIDEMARK_TOKEN"

    @Option(
        help: ArgumentHelp(
            "A file with a personal access token. (default: the variable TIDEMARK_TOKEN)", valueName: "file"))
    var tokenFile: String?
    @Option(help: "The token itself. Every user of this machine can read it on the command line.") var token: String?

    func validate() throws {
        if token != nil, tokenFile != nil { throw ValidationError("Give --token or --token-file, not both.") }
    }

    /// The token of the command line, otherwise that of the file, otherwise that
    /// of the environment. `warn` gets a sentence if others can read the file.
    func value(
        in environment: [String: String] = ProcessInfo.processInfo.environment,
        warn: (String) -> Void = Terminal.message
    ) throws -> String {
        if let token { return try Self.checked(token, from: "--token") }
        if let tokenFile { return try TokenFile(path: tokenFile).token(warn: warn) }
        guard let token = Variables.value(of: Self.variable, in: environment) else {
            throw ValidationError("There is no token. Set \(Self.variable), or give --token-file FILE.")
        }
        return try Self.checked(token, from: Self.variable)
    }

    /// Reads the token's file again, for a watch whose token ends; nil if the token is not from a file. A file that
    /// can't be read now has no new token.
    var renewal: (@Sendable () async throws -> String?)? {
        guard let tokenFile else { return nil }
        return { try? TokenFile(path: tokenFile).token { _ in } }
    }

    /// Checks that `text` is one token. A token has no spaces, so a mistake is reported before anything is sent.
    static func checked(_ text: String, from place: String) throws -> String {
        guard !text.isEmpty else { throw CommandError("\(place) is empty. `tidemark token create` prints a token.") }
        guard !text.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0.value < 32 }) else {
            throw CommandError("\(place) holds more than one token. It must hold one, and nothing else.")
        }
        return text
    }
}

/// A file with one token in it.
struct TokenFile {
    let path: String

    /// The token, without its line break.
    func token(warn: (String) -> Void) throws -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandError("Can't read the token file \(path). Check the path, and that this user may read it.")
        }
        if isReadByOthers { warn("Warning: others can read the token in \(path). To protect it: chmod 600 \(path)") }
        let line = text.hasSuffix("\r\n") || text.hasSuffix("\n") ? String(text.dropLast()) : text
        return try TokenOptions.checked(line, from: path)
    }

    /// Whether other users can read the file. Always false for a pipe, such as the shell's `<(…)`.
    private var isReadByOthers: Bool {
        let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let about = try? FileManager.default.attributesOfItem(atPath: target),
            about[.type] as? FileAttributeType == .typeRegular, let rights = about[.posixPermissions] as? Int
        else { return false }
        return rights & 0o044 != 0
    }
}

extension CertificateAuthorities {
    /// The authorities in a PEM file; those of the machine if there is no file.
    init(named path: String?) throws {
        guard let path else {
            self = .system
            return
        }
        guard let pem = try? Data(contentsOf: URL(filePath: path)) else {
            throw CommandError("Can't read \(path). Check the path, and that this user may read the file.")
        }
        guard let authorities = CertificateAuthorities(pem: pem) else {
            throw CommandError("There is no certificate in \(path). It must be in PEM form: BEGIN CERTIFICATE.")
        }
        self = authorities
    }
}
