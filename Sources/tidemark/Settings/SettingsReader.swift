import Configuration
import Foundation
import SyncProtocol
import SyncServer
import SystemPackage

/// Reads the settings: flag before environment before configuration file before default. What is not understood ends the
/// start.
struct SettingsReader {
    let environment: [String: String]
    /// A JSON file.
    let file: String?
    /// What the command line says, by the setting's key.
    var flags: [String: String] = [:]

    func read() async throws -> ServerSettings { try await effective().values }

    /// The settings, with where each comes from.
    func effective() async throws -> EffectiveSettings {
        try refuseUnknownVariables()
        var sources: [(EffectiveSettings.Origin, any ConfigProvider)] = [
            (.flag, flagProvider),
            (
                .environment,
                EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "tidemark")
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
        do {
            try refuseUnknownKeys(JSON(parsing: try Data(contentsOf: URL(filePath: file))))
            return try await FileProvider<JSONSnapshot>(filePath: FilePath(file))
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError("Can't read the configuration file \(file) as JSON: \(error)")
        }
    }

    /// Takes the value that the reader has; false where it has none.
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
        case .flag(let path):
            guard let value = try flag(setting, reader) else { return false }
            settings[keyPath: path()] = value
        case .text(let path):
            guard let value = reader.string(forKey: key) else { return false }
            guard !value.isEmpty else { throw refusal(setting) }
            settings[keyPath: path()] = value
        case .choice(let words, let path):
            guard let value = reader.string(forKey: key) else { return false }
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
            guard let setting = Setting.all.first(where: { $0.key == path }) else {
                let known = Setting.all.map(\.key).sorted().joined(separator: ", ")
                throw CommandError("There is no setting \(path). There are: \(known).")
            }
            guard setting.kind.admits(json) else { throw refusal(setting) }
            return
        }
        for (name, value) in members { try refuseUnknownKeys(value, at: path.isEmpty ? name : "\(path).\(name)") }
    }

    private func refuseUnknownVariables() throws {
        let known = Set(Setting.all.map(\.variable))
        let unknown = environment.keys.filter { $0.utf8.starts(with: "TIDEMARK_".utf8) && !known.contains($0) }
        guard let name = unknown.min() else { return }
        throw CommandError("There is no setting \(name). There are: \(known.sorted().joined(separator: ", ")).")
    }
}
