/// From how many bytes on a record counts against what a user may have. Small ones are not counted, so that writing
/// them costs nothing; there are only as many of them as rows can be uploaded.
package enum LargeRecord {
    /// The replaced values of a change.
    package static let change = 4 << 10
    /// A stored answer.
    package static let answer = 16 << 10
}
