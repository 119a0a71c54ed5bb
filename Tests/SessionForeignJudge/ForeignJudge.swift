public import Foundation
public import SessionTokens

/// Runs the Python checker in `Tests/ForeignJudge`: an independent implementation with other libraries.
public enum ForeignJudge {
    /// The judge could not run. Tests fail with this error and are never skipped.
    public struct Unavailable: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) {
            self.description = description
        }
    }

    /// The answer of the judge.
    public struct Verdict: Decodable, Sendable {
        public var accepted: Bool
        public var reason: String?
        public var thumbprint: String?
        public var proof: String?
        public var token: String?
        public var claims: [String: JSONValue]?
        public var key: [String: JSONValue]?
        public var jwks: JSONValue?
        /// PEM texts by name: `authority`, `certificate`, `key`.
        public var pem: [String: String]?
        /// What a mail program sees of a mail.
        public var mail: [String: JSONValue]?
        /// Responses of a software authenticator.
        public var passkey: [String: JSONValue]?
        /// Why each of several cases is rejected. Empty texts for those that are accepted.
        public var reasons: [String]?
    }

    public enum Question: String, Sendable {
        case verifyAccessToken = "verify-access-token"
        case verifyDPoP = "verify-dpop"
        case makeDPoP = "make-dpop"
        case verifyPSS = "verify-pss"
        case makeRSAToken = "make-rsa-token"
        case makeCertificates = "make-certificates"
        case parseMail = "parse-mail"
        case makePasskey = "make-passkey"
        case judgePasskeys = "judge-passkeys"
        case thumbprint
    }

    /// Runs one subcommand of the judge. Arguments and answer are JSON on standard input and output.
    public static func ask(_ question: Question, _ arguments: [String: JSONValue]) throws -> Verdict {
        let process = Process()
        process.executableURL = try python()
        process.arguments = ["-B", tests.appendingPathComponent("ForeignJudge/judge.py").path, question.rawValue]
        let input = Pipe()
        let output = Pipe()
        let errors = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: TokenJSON.encode(arguments))
        try input.fileHandleForWriting.close()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Unavailable(description: "The foreign judge failed: " + String(decoding: complaint, as: UTF8.self))
        }
        return try JSONDecoder().decode(Verdict.self, from: answer)
    }

    private static let tests = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The interpreter that `scripts/bootstrap` installs, with cryptography and joserfc.
    public static func python() throws -> URL {
        let named = ProcessInfo.processInfo.environment["PRELUDE_SESSION_JUDGE_PYTHON"].map(URL.init(fileURLWithPath:))
        let url = named ?? tests.deletingLastPathComponent().appendingPathComponent(".build/foreign-judge/bin/python")
        guard FileManager.default.isExecutableFile(atPath: url.path) else {
            throw Unavailable(
                description: "The foreign judge is not installed: there is no Python at \(url.path). "
                    + "Run scripts/bootstrap, or set PRELUDE_SESSION_JUDGE_PYTHON to a Python with joserfc.")
        }
        return url
    }
}
