import SyncFuzz

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.upload.feed(bytes, count)
}

@_cdecl("LLVMFuzzerCustomMutator") public func mutate(
    _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int, _ seed: UInt32
) -> Int {
    FuzzTarget.mutateJSON(bytes, count, room: room, seed: seed) ?? mutateBytes(bytes, count, room)
}

/// libFuzzer's own mutator.
@_silgen_name("LLVMFuzzerMutate")
private func mutateBytes(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int) -> Int
