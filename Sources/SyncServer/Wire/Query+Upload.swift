import SyncEngine
import SyncProtocol

/// The parameters of WatermelonDB's own push.
extension Query {
    /// `on_error`; nil if absent. Throws `invalid_parameter`, also if the body is an envelope, which has its own.
    func errorMode() throws -> UploadRequest.ErrorMode? {
        guard let text = text("on_error") else { return nil }
        guard let mode = UploadRequest.ErrorMode(rawValue: text) else {
            let words = UploadRequest.ErrorMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.invalidParameter, "on_error must be one of \(words).")
        }
        guard self.text("last_pulled_at") != nil else {
            throw Problem(
                .invalidParameter,
                "on_error in the query needs last_pulled_at there. In an envelope, put it in the body.")
        }
        return mode
    }
}
