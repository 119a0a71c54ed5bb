import NIOCore

/// A call of the management API that must succeed.
struct ManagementCall: Sendable, Hashable {
    var method: String
    /// The path below the app, such as `/config/limits`.
    var path: String
    var body: String
    var key: String
}

final class ManagementOperation: Operation {
    let name = "management"
    private let call: ManagementCall
    private let wire: WireRequest

    init(_ call: ManagementCall, wire: WireRequest) {
        self.call = call
        self.wire = wire
    }

    func begin() -> ByteBuffer? {
        wire.bytes(
            call.method, "/v2/session/apps/\(ServiceProcess.app)\(call.path)",
            headers: [("Authorization", "Bearer \(call.key)")], body: call.body)
    }

    func receive(_ response: Message) throws -> Step {
        guard (200...204).contains(response.status) else {
            throw BenchmarkError("\(call.method) \(call.path): \(response.status) \(response.bodyText)")
        }
        return .done
    }
}
