import Synchronization

/// The functions of parts, shared by all copies of a `Replica`.
final class PartFunctions: Sendable {
    typealias Function = @Sendable () throws -> PartFilter

    private let functions = Mutex<[String: Function]>([:])

    func set(_ function: Function?, for name: String) { functions.withLock { $0[name] = function } }

    /// What the functions of these parts say.
    func values(of names: [String]) throws -> [String: PartFilter] {
        let functions = functions.withLock { $0 }
        return try Dictionary(
            uniqueKeysWithValues: names.compactMap { name in try functions[name].map { (name, try $0()) } })
    }
}
