// All that an app needs, by one import: the replica and its syncs, the values of the wire, and the transport on the
// system's `URLSession`.
//
// `tidemark` imports `SyncClientCore` instead. On Linux, `URLSession` needs libcurl, which is not to be linked into the
// server.
@_exported public import SyncClientCore
@_exported public import SyncProtocol
@_exported public import SyncTransport
@_exported public import SyncURLSession
