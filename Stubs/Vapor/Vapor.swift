// A stub for the part of Vapor 4 that Examples/Vapor uses, with the signatures and no behavior. The tests compile the example
// with it, because Vapor is no dependency of this package.
//
// The declarations were compared one by one with the sources of vapor/vapor, release 4: `Concurrency/AsyncMiddleware.swift`,
// `Concurrency/RoutesBuilder+Concurrency.swift`, `Concurrency/ResponseCodable+Concurrency.swift`, `Error/Abort.swift`,
// `Request/Request.swift`, `Routing/RoutesBuilder+Middleware.swift`, `Utilities/Storage.swift`, `Utilities/URI.swift`. `HTTPHeaders`,
// `HTTPMethod` and `HTTPResponseStatus` are of SwiftNIO's NIOHTTP1, and `PathComponent` is of RoutingKit; Vapor exports them.
// Arguments with a default that the example does not pass are left out. The next major version of Vapor has no setter for a
// value of `Storage`, so the example is for release 4.

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

public final class Route: Sendable {}

extension RoutesBuilder {
    public func grouped(_ middleware: any Middleware...) -> any RoutesBuilder { self }
    @discardableResult
    public func get<Answer: AsyncResponseEncodable>(
        _ path: PathComponent..., use closure: @Sendable @escaping (Request) async throws -> Answer
    ) -> Route { Route() }
}

public final class Application: RoutesBuilder, Sendable {}
