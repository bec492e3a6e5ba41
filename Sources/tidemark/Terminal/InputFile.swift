import Foundation

/// A file that an operator names.
enum InputFile {
    /// The whole content. Throws a `CommandError` that says what is
    /// wrong with the path. `what` says which kind of file it is.
    static func read(_ path: String, _ what: String) throws -> Data {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandError("There is no \(what) \(path). Check the path.")
        }
        guard !isFolder.boolValue else {
            throw CommandError("The \(what) \(path) is a folder. Give the path of a file.")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError("The \(what) \(path) can't be read by the user \(NSUserName()). Check its permissions.")
        }
        return data
    }
}
