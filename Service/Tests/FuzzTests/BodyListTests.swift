import Foundation
import FuzzReaders
import Testing

/// Compares the bodies that are fuzzed with the bodies that the routes read.
@Suite("Fuzzed bodies")
struct BodyListTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources/SessionHTTP")

    /// Each type `X` in `decode(X.self)`, with its file.
    private static func reads() throws -> [(file: String, type: String)] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return try (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .flatMap { file in
                try String(contentsOf: file, encoding: .utf8).matches(
                    of: /request\.decode(?:Exactly)?(?:IfPresent)?\(\s*([A-Za-z.]+)\.self/
                )
                .map { (file.deletingPathExtension().lastPathComponent, String($0.1)) }
            }
    }

    /// Each type `X` in `SettingsRoutes<X>(`, whose body is `SettingsBody<X>`.
    private static func groups() throws -> [String] {
        try String(contentsOf: folder.appendingPathComponent("Router.swift"), encoding: .utf8)
            .matches(of: /SettingsRoutes<([A-Za-z]+)>\(/)
            .map { "SessionDomain.SettingsBody<SessionDomain.\($0.1)>" }
    }

    // Proves: P4
    @Test("The fuzzed bodies are exactly the bodies that routes read")
    func complete() throws {
        let known = Set(BodyReader.all.map(\.name))
        var read = Set(try Self.groups())
        for (file, type) in try Self.reads() {
            let names = ["SessionHTTP.\(file).\(type)", "SessionHTTP.\(type)", "SessionWire.\(type)"]
            let name = try #require(
                names.first(where: known.contains), "\(file) reads \(type); add it to BodyReader.all")
            read.insert(name)
        }
        #expect(read == known)
    }

    @Test("Only JSONBody decodes JSON")
    func oneWay() throws {
        let files = FileManager.default.enumerator(at: Self.folder, includingPropertiesForKeys: nil)
        for case let file as URL in files?.allObjects ?? []
        where file.pathExtension == "swift" && file.lastPathComponent != "JSONBody.swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for word in ["JSONDecoder", "JSONSerialization", "TokenJSON.decode", "JSONBody.read"] {
                #expect(!text.contains(word), "\(file.lastPathComponent) must use Request.decode")
            }
        }
    }

    @Test("Each kind of body accepts its own seeds", arguments: BodyReader.all.map(\.name))
    func seeds(_ name: String) throws {
        let body = try #require(BodyReader.all.first { $0.name == name })
        #expect(!body.seeds.isEmpty)
        for seed in body.seeds { try body.check(Data(seed.utf8)) }
    }
}
