/// Says that the read transaction will last. Throws `busy` where the store can't stand another one now.
package typealias WillLast = @Sendable () throws -> Void
