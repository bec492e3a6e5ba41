/// Why a collection can't be among those that can be uploaded, and what to do about it.
package struct UploadLimitError: Error, CustomStringConvertible {
    package let description: String

    init(name: String, isKnown: Bool, allowed: [String]) {
        let reason =
            if name.isEmpty {
                "an entry is empty. Put one comma between two names, and none at the end"
            } else {
                isKnown ? "the schema does not let \(name) be uploaded" : "there is no collection \(name)"
            }
        description =
            "TIDEMARK_SYNC_UPLOAD_COLLECTIONS (sync.uploadCollections): \(reason). "
            + "It can name: \(allowed.joined(separator: ", "))."
    }
}
