// swift-tools-version: 6.2

import PackageDescription

// A package of its own: the sanitizers must reach all that a fuzzer is linked with, and nothing else.
// `scripts/deep/code/fuzz.py` says how it is built.
let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "tidemark", path: "../..")],
    targets: ["cursor", "query", "upload", "plan", "schema"].map { name in
        .executableTarget(
            name: "fuzz-\(name)",
            dependencies: [.product(name: "SyncFuzz", package: "tidemark")],
            path: "Sources/\(name)",
            swiftSettings: [.unsafeFlags(["-parse-as-library"])])
    }
)
