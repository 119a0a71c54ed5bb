// A stub for the part of Vapor 4 that a listing in docs/verify.md uses, with Vapor's signatures and no behavior. The tests
// compile the listing with it, because Vapor is no dependency of this package.

public struct HTTPHeaders: Sequence, Sendable {
    public func makeIterator() -> IndexingIterator<[(name: String, value: String)]> { [].makeIterator() }
    public mutating func add(name: String, value: String) {}
}

public struct HTTPResponseStatus: Sendable {
    public static let badRequest = HTTPResponseStatus(statusCode: 400)
    public init(statusCode: Int, reasonPhrase: String = "") {}
}

public struct HTTPMethod: Sendable {
    public var rawValue: String
}

public struct URI: Sendable {
    public var string: String
}

public struct Abort: Error {
    public init(_ status: HTTPResponseStatus) {}
}

public protocol StorageKey {
    associatedtype Value: Sendable
}

public struct Storage: Sendable {
    public subscript<Key: StorageKey>(_ key: Key.Type) -> Key.Value? {
        get { nil }
        set { _ = newValue }
    }
}

/// Vapor's class is sendable, too: it protects its state with locks.
public final class Request: Sendable {
    public var method: HTTPMethod { preconditionFailure("a stand-in is type-checked, never run") }
    public var url: URI { preconditionFailure("a stand-in is type-checked, never run") }
    public var headers: HTTPHeaders { preconditionFailure("a stand-in is type-checked, never run") }
    public var storage: Storage {
        get { Storage() }
        set { _ = newValue }
    }
}

public final class Response: Sendable {
    public var headers: HTTPHeaders {
        get { HTTPHeaders() }
        set { _ = newValue }
    }
    public convenience init(status: HTTPResponseStatus) { self.init() }
    private init() {}
}

public protocol AsyncResponder: Sendable {
    func respond(to request: Request) async throws -> Response
}

public protocol Middleware: Sendable {}

public protocol AsyncMiddleware: Middleware {
    func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response
}

public struct PathComponent: ExpressibleByStringLiteral, Sendable {
    public init(stringLiteral value: String) {}
}

public protocol AsyncResponseEncodable {}
extension String: AsyncResponseEncodable {}

public protocol RoutesBuilder {}

extension RoutesBuilder {
    public func grouped(_ middleware: any Middleware...) -> any RoutesBuilder { self }
    public func get<Answer: AsyncResponseEncodable>(
        _ path: PathComponent..., use closure: @Sendable @escaping (Request) async throws -> Answer
    ) {}
}

public final class Application: RoutesBuilder, Sendable {}
