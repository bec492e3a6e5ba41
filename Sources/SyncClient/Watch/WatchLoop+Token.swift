/// The end of a token.
extension WatchLoop {
    mutating func renew() -> [Action] {
        (isRenewing, renewDue) = (true, nil)
        return [.renew]
    }

    /// Nothing goes on before there is another token.
    mutating func unauthorized(_ error: SyncError, at now: Duration) -> [Action] {
        guard canRenew else { return [.fail(error)] }
        refusal = error
        let actions = closed(until: now)
        return actions + endWork(if: true) + (isRenewing ? [] : renew())
    }

    mutating func renewed(_ isNew: Bool, at now: Duration) -> [Action] {
        isRenewing = false
        if let refusal {
            guard isNew else { return [.fail(refusal)] }
            self.refusal = nil
        }
        guard isNew else { return [] }
        // A stream lives as long as the token that it was opened with.
        guard direction != .push, fallback == nil else { return [] }
        if case .off = stream { stream = .off(until: now) }
        return closed(until: now)
    }

    /// Closes the stream if there is one, and opens the next one then.
    mutating func closed(until: Duration) -> [Action] {
        if case .off = stream { return [] }
        stream = .off(until: until)
        return [.close]
    }
}
