package import SyncProtocol
import SyncStore

/// The digests of the rows that a caller sees in all projects, at one number.
package struct UserDigests: Sendable {
    let number: CommitNumber
    let end: UserDrainEnd

    /// `{"timestamp":…, "digest": {"p-1": {"tasks": {"count":3,"digest":"…"},…}}, "heads": {"p-1": 57}}`
    package var json: JSON {
        [
            "timestamp": .int(number.watermark), "digest": .object(end.digests),
            "heads": .object(end.heads.mapValues { .int($0.rawValue) }),
        ]
    }
}
