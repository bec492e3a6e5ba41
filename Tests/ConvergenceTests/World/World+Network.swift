import Foundation
import SyncClientCore
import SyncProtocol

/// The network between a device and the server.
struct DeviceNetwork: Transport {
    let world: World
    let device: Int

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await world.carry(request, from: device)
    }
}

extension World {
    /// Carries one request, with what the plan says about it. Throws `TransportError` if the client gets no answer,
    /// `Death` if the client's process dies first, and `Failure` if the server fails.
    func carry(_ request: TransportRequest, from device: Int) async throws -> TransportResponse {
        try await deliverHeld(upTo: requests)
        requests += 1
        let incident = nextIncident(of: device)
        switch incident {
        case .nothing: return try await deliver(request, to: device)
        case .meanwhile(let operations):
            try await perform(operations)
            return try await deliver(request, to: device)
        case .echoed(let count):
            hold(request, for: count)
            return try await deliver(request, to: device)
        case .doubled(let firstAnswer):
            let first = try await serve(request)
            let second = try await serve(request)
            return note(firstAnswer ? first : second, to: request, from: device)
        default: return try await fail(request, by: incident)
        }
    }

    /// The incidents in which no complete answer of the server arrives.
    private func fail(_ request: TransportRequest, by incident: Incident) async throws -> TransportResponse {
        if incident.isActedUpon { _ = try await serve(request) }
        switch incident {
        case .delayed(let count):
            hold(request, for: count)
            throw TransportError.timeout
        case .cut(let percent):
            var response = try await serve(request)
            guard response.status == 200 else { throw TransportError.interrupted("answer cut") }
            response.body = response.body.prefix(response.body.count * percent / 100)
            return response
        case .unavailable(let status, let retryAfter, _):
            let headers = retryAfter.map { ["Retry-After": String($0)] } ?? [:]
            return TransportResponse(status: status, headers: headers, body: Data("<html>".utf8))
        case .death: throw Death()
        case .requestLost: throw TransportError.unreachable("lost on its way")
        default: throw TransportError.interrupted("answer lost")
        }
    }

    private func hold(_ request: TransportRequest, for count: Int) {
        held.append(HeldRequest(request: request, due: requests + count))
    }

    private func nextIncident(of device: Int) -> Incident {
        guard var left = incidents[device], !left.isEmpty else { return .nothing }
        let next = left.removeFirst()
        incidents[device] = left
        return next
    }

    /// Runs the operations of incidents for which there is no request.
    func passInterlude(of device: Int) async throws {
        if case .meanwhile(let operations) = nextIncident(of: device) { try await perform(operations) }
    }

    /// Delivers the requests that the network held back. Nobody gets their answers.
    func deliverHeld(upTo number: Int) async throws {
        let due = held.filter { $0.due <= number }
        held.removeAll { $0.due <= number }
        for one in due { _ = try await serve(one.request) }
    }

    private func deliver(_ request: TransportRequest, to device: Int) async throws -> TransportResponse {
        note(try await serve(request), to: request, from: device)
    }

    private func serve(_ request: TransportRequest) async throws -> TransportResponse {
        let hidden = try await hiddenRows(in: request)
        let untouched = try await UntouchedProjects(request, in: self)
        let response = try await server.transport.send(impostor.inward(request))
        keep(response, to: request)
        guard response.status < 500 else {
            throw Failure("\(request.method.rawValue) \(request.url) was answered \(response.status)")
        }
        try repetitions.check(response, to: request)
        try await checkPuttingRight(response, to: request)
        try await hidden?.check(response, in: self)
        try await untouched?.check(response, in: self)
        return impostor.outward(response, to: request)
    }

    /// Records that an answer reached the device.
    private func note(
        _ response: TransportResponse, to request: TransportRequest, from device: Int
    ) -> TransportResponse {
        if request.method == .post, response.status == 200, let answer = try? JSON(parsing: response.body),
            let upload = try? JSON(parsing: request.body)
        {
            ledger.note(answer, to: upload, from: device)
        }
        return response
    }
}

extension Incident {
    /// Whether the server handles the request before the answer is lost.
    fileprivate var isActedUpon: Bool {
        switch self {
        case .answerLost, .unavailable(_, _, acted: true), .death(acted: true): true
        default: false
        }
    }
}
