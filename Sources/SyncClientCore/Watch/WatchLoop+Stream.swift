import SyncProtocol

/// The stream: how it is opened, what it tells, and how it ends.
extension WatchLoop {
    mutating func opened(at now: Duration) -> [Action] {
        stream = .opening(hasHead: true, deadline: now + times.hello)
        return []
    }

    mutating func refused(_ verdict: Verdict<UnreadBody>, _ status: Int, at now: Duration) -> [Action] {
        switch (status, verdict) {
        case (401, .refuse(let error)): return unauthorized(error, at: now)
        case (404, _), (405, _), (406, _): return fallBack(.unsupported, until: now + times.fallback)
        case (500..., .retry(let after, let reason)):
            return lost(SyncTrouble(answer: reason), at: now, floor: after ?? .zero)
        case (_, .retry(let after, let reason)):
            return fallBack(.refused(reason), until: now + delay(floor: max(after ?? .zero, .seconds(1))))
        case (_, .refuse(.refused(_, _, let detail))):
            return fallBack(.refused(detail), until: now + times.refusal)
        default:
            return fallBack(.refused("What answers for the events is not Tidemark."), until: now + times.refusal)
        }
    }

    mutating func heard(_ events: [ServerSentEvent], _ retry: Duration?, at now: Duration) -> [Action] {
        if let retry { reconnect = min(max(retry, .milliseconds(1)), times.longestReconnect) }
        if case .live(let heartbeat, let since, _) = stream {
            stream = .live(heartbeat: heartbeat, since: since, heard: now)
        }
        var actions: [Action] = []
        for event in events { actions += handle(WatchEvent(event), at: now) }
        return actions
    }

    mutating func handle(_ event: WatchEvent, at now: Duration) -> [Action] {
        switch event {
        case .hello(let heartbeat, let expiresIn): hello(heartbeat, expiresIn, at: now)
        case .poke(let spread): poke(spread, at: now)
        case .bye(let isOfToken, let retry): bye(isOfToken, retry, at: now)
        case .other: []
        }
    }

    mutating func hello(_ heartbeat: Duration, _ expiresIn: Duration?, at now: Duration) -> [Action] {
        stream = .live(heartbeat: heartbeat, since: now, heard: now)
        fallback = nil
        suspectedAt = nil
        misses = 0
        lonelyMisses = 0
        lastTrouble = nil
        earlyPulls = 0
        holdDue = now
        pullDue = now
        renewDue = canRenew ? expiresIn.map { now + max($0 - times.renewal, $0 / 2) } : nil
        return tell(.events) + endWork(if: isTroubled || isHolding)
    }

    mutating func poke(_ spread: Duration, at now: Duration) -> [Action] {
        let due = now + spread * Double.random(in: 0...1, using: &random)
        pullDue = min(pullDue ?? due, due)
        return []
    }

    mutating func bye(_ isOfToken: Bool, _ retry: Duration?, at now: Duration) -> [Action] {
        attempts = 0
        stream = .off(until: now + (retry ?? delay(floor: .zero)))
        return [.close] + (isOfToken && canRenew && !isRenewing ? renew() : [])
    }

    mutating func ended(_ error: TransportError, at now: Duration) -> [Action] {
        error.isTransient ? lost(SyncTrouble(error), at: now, floor: .zero) : [.fail(.transport(error))]
    }

    /// The stream is lost, or could not be opened. A stream that held for a while may just be opened again: nothing is
    /// told before that has failed.
    mutating func lost(_ trouble: SyncTrouble, at now: Duration, floor: Duration) -> [Action] {
        var wasLive = false
        if case .live(let heartbeat, let since, _) = stream {
            wasLive = true
            if now - since >= heartbeat { attempts = 0 }
        } else {
            misses += 1
            lonelyMisses += 1
        }
        lastTrouble = trouble
        let delay = delay(floor: floor)
        reconnectFloor = now + floor
        stream = .off(until: now + delay)
        return wasLive || fallback != nil ? [] : tell(.disconnected(trouble, retryIn: delay))
    }

    /// Goes over to waiting pulls. Nil for `until`: for good.
    mutating func fallBack(_ reason: WaitReason, until: Duration?) -> [Action] {
        stream = .off(until: until)
        fallback = reason
        suspectedAt = nil
        misses += 1
        return tell(.waitingPulls(reason))
    }

    /// A random time before the next attempt, at least `floor`.
    mutating func delay(floor: Duration) -> Duration {
        defer { attempts += 1 }
        return max(floor, jitter(attempt: attempts))
    }

    mutating func jitter(attempt: Int) -> Duration {
        let most = min(reconnect * (1 << min(attempt, 10)), times.longestReconnect)
        return most * Double.random(in: 0...1, using: &random)
    }

    mutating func tell(_ state: WatchState) -> [Action] {
        guard state != told else { return [] }
        told = state
        return [.tell(state)]
    }
}

/// What an event of the stream says.
enum WatchEvent: Sendable, Equatable {
    case hello(heartbeat: Duration, expiresIn: Duration?)
    /// Some projects have something new. A pull comes after a random part of `spread`.
    case poke(spread: Duration)
    case bye(isOfToken: Bool, retry: Duration?)
    /// Shows that the stream lives.
    case other

    init(_ event: ServerSentEvent) {
        let data = (try? JSON(parsing: Array(event.data.utf8))) ?? .null
        switch event.name {
        case "hello":
            let heartbeat = data["heartbeat_s"]?.int ?? 25
            self = .hello(
                heartbeat: .seconds(min(max(heartbeat, 1), 3600)),
                expiresIn: data["expires_in"]?.int.map { .seconds(min(max($0, 0), 1 << 40)) })
        case "poke":
            let isAboutProjects = data.object?.keys.contains { !$0.hasPrefix("_") } ?? true
            let spread = min(max(data["_spread_ms"]?.int ?? 0, 0), 600_000)
            self = isAboutProjects ? .poke(spread: .milliseconds(spread)) : .other
        case "bye":
            let retry = data["retry_ms"]?.int.map { Duration.milliseconds(min(max($0, 0), 600_000)) }
            self = .bye(isOfToken: ["token_expired", "revoked"].contains(data["reason"]?.string), retry: retry)
        default: self = .other
        }
    }
}
