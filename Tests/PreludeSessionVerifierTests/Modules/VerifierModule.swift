import Foundation
import SessionForeignJudge
import SessionTokens

/// A verifier in another language, from `Examples`. Its driver in `Tests/Verifiers` reads requests as JSON.
enum VerifierModule: String, CaseIterable {
    case python = "Python/session_verifier.py"
    case javaScript = "JavaScript/session-verifier.mjs"

    /// A request to the backend, and the name of its test case.
    struct Request {
        let name: String
        let authorization: String
        var proofs: [String] = []

        var json: JSONValue {
            .object([
                "method": "GET", "target": "/v1/orders?page=2", "authorization": .string(authorization),
                "proofs": .array(proofs.map(JSONValue.string)),
            ])
        }
    }

    /// What the module says about a request: the user, or the reason of the rejection.
    struct Result: Decodable {
        let user: String?
        let reason: String?
    }

    /// Sends the requests to one verifier with these keys.
    func results(of requests: [Request], keys: [JSONValue], now: Int64) throws -> [Result] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("module-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let driver = Self.repository.appendingPathComponent("Tests/Verifiers/\(driverName)")
        let module = Self.repository.appendingPathComponent("Examples/\(rawValue)")
        for file in [driver, module] {
            try FileManager.default.copyItem(at: file, to: folder.appendingPathComponent(file.lastPathComponent))
        }
        let call: [String: JSONValue] = [
            "call": "requests", "issuer": .string(Backend.issuer), "audience": .string(Backend.audience),
            "resource": .string(Backend.resource), "now": .int(now), "keys": .array(keys),
            "requests": .array(requests.map(\.json)),
        ]
        let input = folder.appendingPathComponent("calls")
        try (TokenJSON.encode(call) + Data("\n".utf8)).write(to: input)

        let process = Process()
        let output = Pipe()
        (process.executableURL, process.arguments) = try command
        process.currentDirectoryURL = folder
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardOutput = output
        try process.run()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        struct Answer: Decodable { let answer: [Result] }
        return try JSONDecoder().decode(Answer.self, from: answer).answer
    }

    private var driverName: String { self == .python ? "driver.py" : "driver.mjs" }

    private var command: (URL, [String]) {
        get throws {
            switch self {
            case .python: (try ForeignJudge.python(), ["-B", driverName])
            case .javaScript: (URL(fileURLWithPath: "/usr/bin/env"), ["node", driverName])
            }
        }
    }

    private static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
