import SyncFuzz

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.upload.feed(bytes, count)
}

// https://llvm.org/docs/LibFuzzer.html#structure-aware fuzzing: writes over `bytes`, which has room for `room`.
@_cdecl("LLVMFuzzerCustomMutator") public func mutate(
    _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int, _ seed: UInt32
) -> Int {
    let input = UnsafeBufferPointer(start: UnsafePointer(bytes), count: count)
    guard let mutated = FuzzTarget.mutatedJSON(input, seed: seed), mutated.count <= room else {
        return mutateBytes(bytes, count, room)
    }
    bytes.update(from: mutated, count: mutated.count)
    return mutated.count
}

/// libFuzzer's own.
@_silgen_name("LLVMFuzzerMutate")
private func mutateBytes(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int) -> Int
