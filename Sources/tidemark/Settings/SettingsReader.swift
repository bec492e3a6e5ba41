import Configuration
import Foundation
import SyncProtocol
import SyncServer
import SyncStore
import SystemPackage

/// Reads the settings. A flag wins over the environment, the environment over the configuration
/// file, and the file over the default. An unknown or invalid setting stops the start.
struct SettingsReader {
    let environment: [String: String]
    /// The configuration file, a JSON file; nil for none.
    let file: String?
    /// The values on the command line, by the setting's key.
    var flags: [String: String] = [:]

    func read() async throws -> ServerSettings { try await effective().values }

    /// The settings, and where each comes from. An empty variable counts as unset. Throws a `CommandError`.
    func effective() async throws -> EffectiveSettings {
        if let complaint = Variables.complaints(about: environment).first { throw CommandError(complaint) }
        var sources: [(EffectiveSettings.Origin, any ConfigProvider)] = [
            (.flag, flagProvider),
            (
                .environment,
                EnvironmentVariablesProvider(environmentVariables: environment.filter { !$0.value.isEmpty })
                    .prefixKeys(with: "tidemark")
            ),
        ]
        if let file { sources.append((.file, try await provider(of: file))) }
        var settings = EffectiveSettings()
        for setting in Setting.all {
            for (origin, provider) in sources
            where try take(setting, ConfigReader(provider: provider), into: &settings.values) {
                settings.origins[setting.key] = origin
                break
            }
        }
        return settings
    }

    private var flagProvider: InMemoryProvider {
        InMemoryProvider(
            values: Dictionary(
                uniqueKeysWithValues: flags.map { key, text in
                    (AbsoluteConfigKey(ConfigKey(key)), ConfigValue(.string(text), isSecret: false))
                }))
    }

    private func provider(of file: String) async throws -> any ConfigProvider {
        try refuseUnknownKeys(try settings(in: file))
        do {
            return try await FileProvider<JSONSnapshot>(filePath: FilePath(file))
        } catch {
            throw CommandError(
                "Can't read settings from the configuration file \(file). Check that no other program is changing it.")
        }
    }

    private func settings(in file: String) throws -> JSON {
        let data = try InputFile.read(file, "configuration file")
        do {
            let json = try JSON(parsing: data)
            if json.object != nil { return json }
        } catch {
            throw CommandError("The configuration file \(file) is not valid JSON: \(error).")
        }
        throw CommandError(
            "The configuration file \(file) must be a JSON object, for example {\"server\": {\"port\": 8080}}.")
    }

    /// Stores the value of `reader` in `settings`. Returns false if the
    /// reader has none. Throws a `CommandError` if the value is not allowed.
    private func take(
        _ setting: Setting, _ reader: ConfigReader, into settings: inout ServerSettings
    ) throws -> Bool {
        let key = ConfigKey(setting.key)
        switch setting.kind {
        case .number(let range, let path):
            let value = reader.int(forKey: key) ?? reader.string(forKey: key).map { Int($0) ?? Int.min }
            guard let value else { return false }
            guard range.contains(value) else { throw refusal(setting) }
            settings[keyPath: path()] = value
        case .limit(let range, let path):
            if reader.string(forKey: key) == "none" {
                settings[keyPath: path()] = nil
                return true
            }
            let value = reader.int(forKey: key) ?? reader.string(forKey: key).map { Int($0) ?? Int.min }
            guard let value else { return false }
            guard range.contains(value) else { throw refusal(setting) }
            settings[keyPath: path()] = value
        case .flag(let path):
            guard let value = try flag(setting, reader) else { return false }
            settings[keyPath: path()] = value
        case .text(let path):
            guard let value = reader.string(forKey: key) else { return false }
            guard !value.isEmpty else { throw refusal(setting) }
            settings[keyPath: path()] = value
        case .choice(let words, let path):
            guard let value = reader.string(forKey: key) ?? reader.bool(forKey: key).map({ String($0) }) else {
                return false
            }
            guard words.contains(value) else { throw refusal(setting) }
            settings[keyPath: path()] = value
        }
        return true
    }

    private func flag(_ setting: Setting, _ reader: ConfigReader) throws -> Bool? {
        let key = ConfigKey(setting.key)
        let words = ["true": true, "false": false]
        if let word = reader.string(forKey: key) {
            guard let value = words[word] else { throw refusal(setting) }
            return value
        }
        return reader.bool(forKey: key)
    }

    private func refusal(_ setting: Setting) -> CommandError {
        CommandError("\(setting.variable) (\(setting.key)) must be \(setting.kind.rule).")
    }

    private func refuseUnknownKeys(_ json: JSON, at path: String = "") throws {
        guard let members = json.object else {
            guard let setting = Setting.all.first(where: { $0.key == path }) else { throw unknownKey(path) }
            guard setting.kind.admits(json) else { throw refusal(setting) }
            return
        }
        for (name, value) in members { try refuseUnknownKeys(value, at: path.isEmpty ? name : "\(path).\(name)") }
    }

    private func unknownKey(_ key: String) -> CommandError {
        let known = Setting.all.map(\.key).sorted()
        let suggestion = Spelling.suggestion(for: key, among: known)
        return CommandError(
            "There is no setting \(key)."
                + (suggestion.isEmpty ? " There are: \(known.joined(separator: ", "))." : suggestion))
    }
}

/// The values that the server runs with, and where each comes from.
struct EffectiveSettings {
    /// Where a value comes from. The first origin that has a value wins.
    enum Origin: String, CaseIterable {
        case flag, environment, file, `default`
    }

    var values = ServerSettings()
    /// By key. A setting whose key is missing here has its default.
    var origins: [String: Origin] = [:]

    /// One line for each setting, in columns: key, value, origin, variable. Secrets
    /// are `***`. `others` are options that are not settings: name, value and origin.
    func table(others: [(name: String, value: String, origin: Origin)]) -> String {
        let rows =
            [["setting", "value", "from", "variable"]]
            + others.map { [$0.name, $0.value, $0.origin.rawValue, ""] }
            + Setting.all.map { [$0.key, $0.shown(in: values), (origins[$0.key] ?? .default).rawValue, $0.variable] }
        let widths = rows[0].indices.map { column in rows.map(\.[column].count).max() ?? 0 }
        return rows.map { row in
            zip(row, widths).map { $0.padding(toLength: max($1, $0.count), withPad: " ", startingAt: 0) }
                .joined(separator: "  ").trimmingCharacters(in: .whitespaces)
        }.joined(separator: "\n")
    }
}

extension Setting {
    /// The value as people see it.
    fileprivate func shown(in settings: ServerSettings) -> String {
        let text = kind.text(in: settings)
        return isSecret && !text.isEmpty ? "***" : text
    }
}

/// The environment variables whose names begin with `TIDEMARK_`.
enum Variables {
    /// The variables that commands read besides the server's settings.
    static let ofCommands = [DatabasePath.variable, SchemasOption.variable, TokenOptions.variable]

    private static var known: [String] { Setting.all.map(\.variable) + ofCommands }

    /// An empty variable counts as unset.
    static func value(of name: String, in environment: [String: String]) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A message for each unknown variable, sorted by its name.
    static func complaints(about environment: [String: String]) -> [String] {
        let known = Set(known)
        return environment.filter { $0.key.utf8.starts(with: "TIDEMARK_".utf8) && !$0.value.isEmpty }.keys
            .filter { !known.contains($0) }.sorted().map(complaint)
    }

    private static func complaint(about name: String) -> String {
        let suggestion = Spelling.suggestion(for: name, among: known)
        guard suggestion.isEmpty else { return "There is no setting \(name)." + suggestion }
        return "There is no setting \(name). There are: \(known.sorted().joined(separator: ", "))."
    }
}
