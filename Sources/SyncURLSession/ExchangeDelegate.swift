import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Passes what a session tells on to the requests. The session calls it on one queue.
///
/// `URLSession.bytes(for:)` would do, but Linux has none.
final class ExchangeDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let buffers = Mutex<[Int: ResponseBuffer]>([:])

    func add(_ buffer: ResponseBuffer, for task: URLSessionTask) {
        buffers.withLock { $0[task.taskIdentifier] = buffer }
    }

    private func buffer(of task: URLSessionTask) -> ResponseBuffer? {
        buffers.withLock { $0[task.taskIdentifier] }
    }

    /// Linux tells of interim responses, such as 103.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse, response.statusCode >= 200 {
            buffer(of: dataTask)?.begin(ResponseHead(response))
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if buffer(of: dataTask)?.append(data) == false { dataTask.cancel() }
    }

    /// Redirects are answers like others.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// Passwords are not asked for: a 401 is an answer like others. On Linux this comes after the whole answer, and the
    /// task would never end by itself.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            buffer(of: task)?.finish(nil)
            completionHandler(.cancelAuthenticationChallenge, nil)
        #else
            completionHandler(.performDefaultHandling, nil)
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        buffers.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.finish(error)
    }
}
