/// A middleware or route needs the result of a middleware that has not run. The order in `Router.swift` is wrong.
struct MiddlewareOrderError: Error, Equatable, CustomStringConvertible {
    /// The name of the middleware that has not run.
    let missing: String

    init(missing middleware: Any.Type) { missing = "\(middleware)" }

    var description: String { "\(missing) has not run; add it before the middleware and routes that need its result" }
}
