import Configuration
import Foundation
import SyncProtocol
import SyncServer
import SystemPackage

/// Reads the settings: environment before configuration file before default. What is not understood ends the start.
struct SettingsReader {
    let environment: [String: String]
    /// A JSON file.
    let file: String?

    func read() async throws -> ServerSettings {
        try refuseUnknownVariables()
        var providers: [any ConfigProvider] = [
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "tidemark")
        ]
        if let file { providers.append(try await self.provider(of: file)) }
        let reader = ConfigReader(providers: providers)
        var settings = ServerSettings()
        for setting in Setting.all { try take(setting, reader, into: &settings) }
        return settings
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

    private func take(_ setting: Setting, _ reader: ConfigReader, into settings: inout ServerSettings) throws {
        let key = ConfigKey(setting.key)
        switch setting.kind {
        case .number(let range, let path):
            let value = reader.int(forKey: key) ?? reader.string(forKey: key).map { Int($0) ?? Int.min }
            guard let value else { return }
            guard range.contains(value) else { throw refusal(setting) }
            settings[keyPath: path()] = value
        case .flag(let path):
            guard let value = try flag(setting, reader) else { return }
            settings[keyPath: path()] = value
        case .text(let path):
            guard let value = reader.string(forKey: key) else { return }
            guard !value.isEmpty else { throw refusal(setting) }
            settings[keyPath: path()] = value
        }
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
        let unknown = environment.keys.filter { $0.hasPrefix("TIDEMARK_") && !known.contains($0) }
        guard let name = unknown.min() else { return }
        throw CommandError("There is no setting \(name). There are: \(known.sorted().joined(separator: ", ")).")
    }
}
