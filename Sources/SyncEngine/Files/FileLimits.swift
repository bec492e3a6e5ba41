import SyncProtocol
import SyncStore

/// How many files there may be, and how large.
package struct FileLimits: Sendable {
    /// The most bytes of all files of a project.
    package let projectBytes: Int64
    /// The most bytes of one file.
    package let fileBytes: Int64

    package init(projectBytes: Int64, fileBytes: Int64) {
        self.projectBytes = projectBytes
        self.fileBytes = fileBytes
    }

    /// The most uploads of a user at a time.
    static let uploadsOfUser = 20

    /// The most bytes that the uploads of a user have together at a time: a tenth of what a project may have, and at
    /// least one file.
    var uploadBytesOfUser: Int64 { max(projectBytes / 10, fileBytes) }

    /// The most files of a project: as many as its bytes are blocks of 4 KiB, since the smallest file takes up one.
    var files: Int { Int(projectBytes >> 12) }

    /// Throws `file_too_large`.
    func requireSize(_ bytes: Int64) throws { if bytes > fileBytes { throw tooLarge } }

    var tooLarge: Problem {
        Problem(.fileTooLarge, "A file has at most \(fileBytes) bytes here.", members: ["limit": .int(fileBytes)])
    }

    /// Throws `too_many_uploads` unless the user may have one more upload, of so many bytes.
    func requireUpload(of bytes: Int64, besides use: FileUse) throws {
        guard use.files >= FileLimits.uploadsOfUser || use.bytes + bytes > uploadBytesOfUser else { return }
        throw Problem(
            .tooManyUploads, "You have too many uploads that are not finished. Let some of them end first.",
            members: ["limit": .int(Int64(FileLimits.uploadsOfUser)), "retry_after": 1])
    }

    /// Throws `quota_exceeded`. Only admins are told how much is used: others could find out what the project has.
    func requireRoom(for bytes: Int64, besides use: FileUse, _ access: ProjectAccess) throws {
        guard use.bytes + bytes > projectBytes || use.files >= files else { return }
        var members: [String: JSON] = ["limit": .int(projectBytes)]
        if access.role >= .admin { members["used"] = .int(use.bytes) }
        throw Problem(
            .quotaExceeded,
            "A project has at most \(projectBytes) bytes of files, in at most \(files) files. Nothing was kept.",
            members: members)
    }
}
