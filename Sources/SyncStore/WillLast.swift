/// Announces that the read transaction will last. Throws `busy` if the store can't bear another long read now.
package typealias WillLast = @Sendable () throws -> Void
