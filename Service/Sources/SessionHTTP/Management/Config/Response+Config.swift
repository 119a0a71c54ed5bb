import HTTPTypes
import Hummingbird

/// The body of every configuration: `{"config": …}`.
private struct ConfigEnvelope<Config: Encodable>: Encodable {
    let config: Config
}

extension Response {
    static func config(_ config: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        try .json(ConfigEnvelope(config: config), status: status)
    }
}
