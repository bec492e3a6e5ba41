/// Syncs, pulls and pushes, and how they end.
extension WatchLoop {
    var isHolding: Bool { if case .pull(let hold) = work { hold > 0 } else { false } }

    /// Ends the work early. What it had to do is due again.
    mutating func endWork(if isMeant: Bool) -> [Action] {
        guard work != nil, !isCancelling, isMeant else { return [] }
        isCancelling = true
        return [.cancel]
    }

    mutating func troubled(_ trouble: SyncTrouble, at now: Duration) -> [Action] {
        (isTroubled, hadTrouble, lonelyMisses) = (true, true, 0)
        guard suspectedAt != nil else { return [] }
        suspectedAt = nil
        return lost(trouble, at: now, floor: .zero)
    }

    mutating func progressed(at now: Duration) -> [Action] {
        defer { isTroubled = false }
        return reached(again: isTroubled, at: now)
    }

    /// A pull has come through, and the head of the stream has not. Unless the server was just slow for both, something
    /// holds back the stream. Work that began earlier shows nothing; a pull follows it.
    private mutating func judge(_ suspectedAt: Duration, at now: Duration) -> [Action] {
        guard workBegan >= suspectedAt else { return [] }
        self.suspectedAt = nil
        guard now - workBegan < times.hello else {
            stream = .off(until: now + delay(floor: .zero))
            return []
        }
        fallback = .heldBack
        return tell(.waitingPulls(.heldBack))
    }

    /// The server has answered another request. If the head of the stream is missing, something holds it back; if the
    /// stream fails again and again, only events are in trouble.
    mutating func reached(again: Bool, at now: Duration) -> [Action] {
        if let suspectedAt { return judge(suspectedAt, at: now) }
        guard fallback == nil else { return [] }
        if again, case .off(let until?) = stream {
            stream = .off(until: max(reconnectFloor, min(until, now + jitter(attempt: 0))))
        }
        guard lonelyMisses >= 3, let lastTrouble else { return [] }
        fallback = .refused(lastTrouble.reason)
        return tell(.waitingPulls(.refused(lastTrouble.reason)))
    }

    mutating func edited(at now: Duration) -> [Action] {
        guard direction != .pull, work != .send, work != .sync else { return [] }
        pushDue = pushDue ?? now
        return endWork(if: isHolding)
    }

    mutating func finished(_ end: End, at now: Duration) -> [Action] {
        let ended = work
        work = nil
        switch end {
        case .cancelled:
            if ended == .send { pushDue = pushDue ?? now } else if ended != .sync { pullDue = now }
            return []
        case .unauthorized(let error):
            if ended == .send { pushDue = now } else if ended != .sync { pullDue = now }
            return unauthorized(error, at: now)
        case .done(let outcome, let hasMore):
            let wasTroubled = isTroubled
            done(ended, outcome, hasMore, at: now)
            return reached(again: wasTroubled, at: now)
        }
    }

    mutating func done(_ work: Work?, _ outcome: SyncOutcome, _ hasMore: Bool, at now: Duration) {
        hasSynced = true
        isTroubled = false
        let isNew = outcome.pulled.map { $0.rows + $0.deleted + $0.left.count > 0 } ?? false
        if outcome.pulled != nil { lastPull = now }
        if case .pull(let hold) = work, hold > 0 { paused(isNew, sooner: now - workBegan < .seconds(hold) / 2, now) }
        guard direction != .pull else { return }
        if outcome.pushed != nil || outcome.refusal != nil {
            let isStuck = outcome.refusal != nil || outcome.pushed?.batches == 0
            pushDue = hasMore ? now + (isStuck ? times.refused : .zero) : nil
        } else if hasMore {
            // What others changed may have changed what the server takes.
            pushDue = pushDue.map { isNew ? min($0, now + times.firstPause) : $0 } ?? now
        }
    }

    /// A server that does not know `wait` answers at once. It is asked again after a pause. A pull that had to be
    /// repeated is not held, so one of these says nothing.
    mutating func paused(_ isNew: Bool, sooner: Bool, _ now: Duration) {
        guard sooner, !isNew else { return (earlyPulls, holdDue) = (0, now) }
        let isFree = hadTrouble && earlyPulls == 0
        holdDue = isFree ? now : now + min(times.firstPause * (1 << min(earlyPulls, 10)), times.longestPause)
        earlyPulls += 1
    }
}
