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

    func read() async throws -> SyncSettings {
        try refuseUnknownVariables()
        var providers: [any ConfigProvider] = [
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "tidemark")
        ]
        if let file { providers.append(try await self.provider(of: file)) }
        let reader = ConfigReader(providers: providers)
        var settings = SyncSettings()
        for setting in Setting.all {
            if let value = try value(of: setting, reader) { settings[keyPath: setting.path()] = value }
        }
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

    private func value(of setting: Setting, _ reader: ConfigReader) throws -> Int? {
        let key = ConfigKey(setting.key)
        guard let value = reader.int(forKey: key) ?? reader.string(forKey: key).map({ Int($0) ?? Int.min }) else {
            return nil
        }
        guard setting.range.contains(value) else {
            let range = "\(setting.range.lowerBound) to \(setting.range.upperBound)"
            throw CommandError("\(setting.variable) (\(setting.key)) must be a whole number from \(range).")
        }
        return value
    }

    private func refuseUnknownKeys(_ json: JSON, at path: String = "") throws {
        guard let members = json.object else {
            guard Setting.all.contains(where: { $0.key == path }) else {
                let known = Setting.all.map(\.key).sorted().joined(separator: ", ")
                throw CommandError("There is no setting \(path). There are: \(known).")
            }
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
