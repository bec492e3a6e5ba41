/// A body that nobody reads.
struct UnreadBody: Sendable, Equatable {}
