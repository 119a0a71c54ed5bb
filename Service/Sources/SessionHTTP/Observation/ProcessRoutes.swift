import HTTPTypes
import Hummingbird
package import Logging
import NIOCore
import SessionDomain

/// The metrics and the log level of this process, for keys that are valid for all apps.
struct ProcessRoutes: Sendable {
    let controls: ProcessControls

    @Sendable func metrics(_ request: Request, context: AllAppsContext) async throws -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: controls.metrics())))
    }

    @Sendable func logLevel(_ request: Request, context: AllAppsContext) async throws -> Response {
        try .json(LogLevelBody(level: controls.logLevel().rawValue))
    }

    @Sendable func setLogLevel(_ request: Request, context: AllAppsContext) async throws -> Response {
        let body = try await request.decodeExactly(LogLevelBody.self)
        guard let level = Logger.Level(rawValue: body.level) else {
            throw Refusal.invalidField("level", "must be trace, debug, info, notice, warning, error or critical")
        }
        let before = controls.logLevel()
        // Written at the level that shows it, whatever the new one is.
        controls.setLogLevel(min(before, level, .notice))
        let key = context.managementKey
        context.logger.notice(
            "the log level was changed",
            metadata: [
                "from": "\(before)", "to": "\(level)", "key_name": "\(key.name)",
                // The id of a configured key contains a part of the hash of its secret.
                "key_id": "\(key.createdBy == .configuration ? "configuration" : key.id)",
            ])
        controls.setLogLevel(level)
        return try .json(LogLevelBody(level: level.rawValue))
    }
}

struct LogLevelBody: Codable {
    let level: String
}

/// What the management API shows and changes of this process.
package struct ProcessControls: Sendable {
    /// The text of `/metrics`.
    package let metrics: @Sendable () -> String
    package let logLevel: @Sendable () -> Logger.Level
    package let setLogLevel: @Sendable (Logger.Level) -> Void

    package init(
        metrics: @escaping @Sendable () -> String, logLevel: @escaping @Sendable () -> Logger.Level,
        setLogLevel: @escaping @Sendable (Logger.Level) -> Void
    ) {
        self.metrics = metrics
        self.logLevel = logLevel
        self.setLogLevel = setLogLevel
    }
}
