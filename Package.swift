// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

/// What `tidemark --version` says; `scripts/common.sh` sets it for release builds.
let buildVersion = Context.environment["TIDEMARK_BUILD"] ?? ""

let package = Package(
    name: "tidemark",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "tidemark", targets: ["tidemark"]),
        .library(name: "SyncClient", targets: ["SyncClient", "SyncProtocol", "SyncURLSession"]),
        .library(name: "SyncAsyncHTTPClient", targets: ["SyncAsyncHTTPClient"]),
        .library(name: "SyncFuzz", targets: ["SyncFuzz"]),  // only for scripts/fuzz
    ],
    traits: [
        .default(enabledTraits: ["PostgreSQL", "Server"]),
        .trait(name: "PostgreSQL", description: "PostgreSQL as a second engine. It needs libpq."),
        .trait(
            name: "Server", description: "All but the client for apps, which then fetches little."),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.11.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .target(name: "CConsole"),
        .target(name: "CRelease", cSettings: [.define("TIDEMARK_VERSION", to: "\"\(buildVersion)\"")]),
        .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "Schemas",
            path: "Schemas",
            exclude: ["meta-schema.json", "openapi.json"],
            resources: [.embedInCode("collections")]),
        .target(name: "SyncProtocol"),
        .target(name: "SyncValues", dependencies: ["SyncProtocol"]),
        .target(
            name: "SyncSchema",
            dependencies: ["Schemas", "SyncProtocol", "SyncValues", .product(name: "Crypto", package: "swift-crypto")]),
        .target(
            name: "SyncStore",
            dependencies: [
                "SyncProtocol", "SyncValues", "SyncSchema", .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .target(
            name: "SyncAccounts",
            dependencies: [
                "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ]),
        .target(
            name: "SyncEngine",
            dependencies: [
                "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncAccounts",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .target(name: "SyncStoreSQL", dependencies: ["SyncProtocol", "SyncValues", "SyncSchema", "SyncStore"]),
        .target(
            name: "SyncStoreSQLite",
            dependencies: [
                "CZlib", "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncStoreSQL",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .target(
            name: "SyncStorePostgreSQL",
            dependencies: ["CPQ", "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncStoreSQL"]),
        .target(
            name: "SyncServer",
            dependencies: [
                "CConsole", "CRelease", "CZlib", "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore",
                "SyncAccounts",
                "SyncEngine",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("Resources/ErrorCode.txt")]),
        .target(name: "SyncTransport"),
        .target(name: "SyncURLSession", dependencies: ["SyncTransport"]),
        .target(
            name: "SyncAsyncHTTPClient",
            dependencies: [
                "SyncProtocol", "SyncValues", "SyncTransport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .target(
            name: "SyncClientCore",
            dependencies: [
                "SyncProtocol", "SyncValues", "SyncTransport",
                .target(name: "SyncAsyncHTTPClient", condition: .when(traits: ["Server"])),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .target(
            name: "SyncClient", dependencies: ["SyncClientCore", "SyncProtocol", "SyncTransport", "SyncURLSession"]),
        .target(
            name: "SyncLoad",
            dependencies: [
                "CZlib", "SyncProtocol",
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .target(
            name: "SyncTestKit",
            dependencies: [
                "Schemas", "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncAccounts", "SyncEngine",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Tests/Kits/SyncTestKit"),
        .target(
            name: "SyncFiles",
            dependencies: [
                "CExpat", "SyncProtocol", "SyncStore",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "_NIOFileSystem", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .target(
            name: "SyncStores",
            dependencies: [
                "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncStoreSQL", "SyncStoreSQLite",
                .target(name: "SyncStorePostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]),
        .target(
            name: "PostgreSQLTestKit",
            dependencies: ["CPQ", "SyncSchema", "SyncEngine", "SyncStoreSQL", "SyncStorePostgreSQL"],
            path: "Tests/Kits/PostgreSQLTestKit"),
        .target(name: "MSPDI", dependencies: ["CExpat", "SyncProtocol"]),
        .target(
            name: "SyncFuzz",
            dependencies: [
                "MSPDI", "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncAccounts", "SyncEngine",
                "SyncStoreSQLite",
                "SyncServer", "SyncTestKit",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Tests/Kits/SyncFuzz"),
        .executableTarget(
            name: "tidemark",
            dependencies: [
                "MSPDI", "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncAccounts", "SyncEngine",
                "SyncStoreSQL",
                "SyncStoreSQLite", "SyncStores", "SyncFiles", "SyncServer", "SyncAsyncHTTPClient", "SyncClientCore",
                "SyncLoad",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "_NIOFileSystem", package: "swift-nio"),
            ],
            resources: [.embedInCode("Demo/demo-plan.xml")]),
        .executableTarget(
            name: "tidemark-bench",
            dependencies: [
                "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncAccounts", "SyncEngine",
                "SyncStoreSQLite",
                "SyncServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Tests/Kits/Bench"),
        .testTarget(name: "SyncProtocolTests", dependencies: ["SyncProtocol"]),
        .testTarget(name: "SyncValuesTests", dependencies: ["SyncProtocol", "SyncValues"]),
        .testTarget(
            name: "SyncSchemaTests", dependencies: ["Schemas", "SyncProtocol", "SyncValues", "SyncSchema"]),
        .testTarget(
            name: "SyncStoreTests",
            dependencies: [
                "Schemas", "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncAccounts", "SyncEngine",
                "SyncStoreSQL",
                "SyncStoreSQLite", "SyncStorePostgreSQL", "SyncStores", "SyncTestKit", "PostgreSQLTestKit",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "SyncStoreSQLiteTests",
            dependencies: [
                "CZlib", "Schemas", "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncAccounts",
                "SyncEngine",
                "SyncStoreSQL", "SyncStoreSQLite", "SyncTestKit",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "SyncStorePostgreSQLTests",
            dependencies: [
                "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncAccounts", "SyncEngine", "SyncStoreSQL",
                "SyncStorePostgreSQL", "SyncTestKit", "PostgreSQLTestKit",
            ]),
        .testTarget(
            name: "SyncEngineTests",
            dependencies: [
                "Schemas", "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncAccounts", "SyncEngine",
                "SyncStoreSQL", "SyncStoreSQLite", "SyncStorePostgreSQL", "SyncTestKit", "PostgreSQLTestKit",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .testTarget(
            name: "SyncAccountsTests",
            dependencies: [
                "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncAccounts", "SyncEngine",
                "SyncStoreSQLite",
                "SyncTestKit",
            ]),
        .testTarget(
            name: "SyncClientTests",
            dependencies: [
                "SyncProtocol", "SyncValues", "SyncTransport", "SyncURLSession", "SyncAsyncHTTPClient",
                "SyncClientCore", "SyncClient",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "SyncLoadTests",
            dependencies: [
                "tidemark", "SyncLoad", "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncAccounts",
                "SyncEngine",
                "SyncStoreSQL", "SyncStoreSQLite", "SyncServer", "SyncTestKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "ConvergenceTests",
            dependencies: [
                "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncAccounts", "SyncEngine", "SyncStoreSQL",
                "SyncStoreSQLite", "SyncStorePostgreSQL", "SyncStores", "SyncServer", "SyncClientCore",
                "SyncTestKit", "PostgreSQLTestKit",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        .testTarget(
            name: "MSPDITests", dependencies: ["MSPDI", "SyncProtocol", "SyncTestKit"]),
        .testTarget(
            name: "FuzzTests", dependencies: ["SyncFuzz", "SyncTestKit"], exclude: ["Corpus"]),
        .testTarget(
            name: "tidemarkTests",
            dependencies: [
                "tidemark", "MSPDI", "SyncAsyncHTTPClient", "SyncURLSession", "SyncClientCore", "SyncStore",
                "SyncAccounts", "SyncEngine", "SyncProtocol", "SyncSchema", "SyncServer", "SyncStoreSQL",
                "SyncFiles", "SyncStoreSQLite", "SyncStores", "SyncTestKit", "PostgreSQLTestKit",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(
            name: "SyncServerTests",
            dependencies: [
                "CZlib", "SyncProtocol", "SyncValues", "SyncSchema", "SyncStore", "SyncAccounts", "SyncEngine",
                "SyncStoreSQL",
                "SyncStoreSQLite", "SyncStorePostgreSQL", "SyncServer", "SyncStores", "SyncFiles", "SyncTestKit",
                "PostgreSQLTestKit",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
    ]
)

for target in package.targets where target.type != .system { target.swiftSettings = strict }

// Random histories are bound by the processor, and most of their time is that of the code under test. `scripts/test`
// sets this: what is tested is optimized, assertions stay, and the tests themselves are built as always.
if Context.environment["TIDEMARK_OPTIMIZE"] != nil {
    for target in package.targets where [.regular, .executable].contains(target.type) {
        target.swiftSettings? += [.unsafeFlags(["-O", "-assert-config", "Debug"])]
    }
}

/// What an app with the client is made of. Nothing else is built for it.
let client: Set = [
    "SyncClient", "SyncClientCore", "SyncProtocol", "SyncTransport", "SyncURLSession", "SyncValues",
]

// An app that depends on this package with `traits: []` fetches no package that only these targets need.
for target in package.targets where !client.contains(target.name) {
    target.dependencies = target.dependencies.map { dependency in
        guard case .productItem(let name, let package, let aliases, nil) = dependency else { return dependency }
        return .productItem(
            name: name, package: package, moduleAliases: aliases, condition: .when(traits: ["Server"]))
    }
}
