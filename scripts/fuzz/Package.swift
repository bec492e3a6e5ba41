// swift-tools-version: 6.2

import PackageDescription

// This is a separate package because the sanitizers must cover everything that a fuzzer is linked with, and nothing
// else. `scripts/deep/code/fuzz.py` builds it.
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
