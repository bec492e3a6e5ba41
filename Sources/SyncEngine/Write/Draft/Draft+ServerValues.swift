import Foundation
import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    /// The value of a server-owned field of a new row.
    func serverValue(_ field: Field, _ collection: Collection, _ values: [JSON]) throws -> JSON {
        switch field.serverValue {
        case .project: .string(project)
        case .caller: .int(author)
        case .createdAt, .updatedAt: .string(now.text)
        case .shortID: .string(ShortID.text(try takeShortIDs(1)))
        case .displayName: .string(try displayName(collection, values))
        case .linkProvider:
            .string(LinkProvider.name(of: collection.position("url").flatMap { values[$0].string } ?? ""))
        case .acceptedAt, .declinedAt, nil: field.fallback
        }
    }

    /// Updates the server-owned values that follow a change of content.
    func refreshServerValues(of key: RowKey, _ record: inout StoredRow) {
        let collection = registry.collection(key.collection)
        for position in collection.places.serverValued {
            switch collection.fields[position].serverValue {
            case .updatedAt: record.values[position] = .string(now.text)
            case .linkProvider:
                let url = collection.position("url").flatMap { record.values[$0].string } ?? ""
                record.values[position] = .string(LinkProvider.name(of: url))
            case .acceptedAt: keepMoment(at: position, of: "accepted", in: &record, collection)
            case .declinedAt: keepMoment(at: position, of: "declined", in: &record, collection)
            default: break
            }
        }
    }

    /// Keeps the time at which the field `state` took this value; null while it has another.
    private func keepMoment(at position: Int, of state: JSON, in record: inout StoredRow, _ collection: Collection) {
        let isThere = collection.position("state").map { record.values[$0] == state } ?? false
        guard isThere != !record.values[position].isNull else { return }
        record.values[position] = isThere ? .string(now.text) : .null
    }

    /// Takes the next `count` numbers for short ids, and returns the last of them.
    @discardableResult
    func takeShortIDs(_ count: Int64) throws -> Int64 {
        try shortIDs.take(count) { try projectState().lastShortID }
    }

    private func displayName(_ collection: Collection, _ values: [JSON]) throws -> String {
        guard let user = collection.position("user").flatMap({ values[$0].int }) else { return "" }
        return try reads.user(id: user)?.displayName ?? ""
    }
}

/// The kind of site that a link leads to.
enum LinkProvider {
    private static let known = [
        "github.com": "github", "gitlab.com": "gitlab", "bitbucket.org": "bitbucket", "docs.google.com": "google_docs",
        "drive.google.com": "google_drive", "figma.com": "figma", "atlassian.net": "atlassian",
        "dropbox.com": "dropbox", "sharepoint.com": "sharepoint",
    ]

    /// The provider's name, by the host or one of its parent domains; `generic` if unknown.
    static func name(of url: String) -> String {
        guard let host = URL(string: url)?.host()?.lowercased() else { return "generic" }
        return known.first { host == $0.key || host.hasSuffix("." + $0.key) }?.value ?? "generic"
    }
}
