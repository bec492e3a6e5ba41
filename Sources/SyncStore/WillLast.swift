/// Announces that the read transaction will last. Throws `busy` if the store can't bear another long read now.
///
/// The store calls `cut`, on any thread, when it can't bear this read any longer. Then the read has to end soon,
/// wherever it waits.
package typealias WillLast = @Sendable (_ cut: @escaping @Sendable () -> Void) throws -> Void
