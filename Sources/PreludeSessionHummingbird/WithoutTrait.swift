#if !Hummingbird
    public import PreludeSessionVerifier

    // Stand-ins without the trait: using one of these names is a compile error that names the missing trait.

    /// Needs the package trait `Hummingbird`.
    @available(
        *, unavailable,
        message: "Add the trait to the dependency: .package(url: \"…\", from: \"…\", traits: [\"Hummingbird\"])"
    )
    public struct VerifierMiddleware {
        /// Needs the package trait `Hummingbird`.
        public init(_ verifier: SessionVerifier) {}
    }

    /// Needs the package trait `Hummingbird`.
    @available(
        *, unavailable,
        message: "Add the trait to the dependency: .package(url: \"…\", from: \"…\", traits: [\"Hummingbird\"])"
    )
    public struct ScopeMiddleware {
        /// Needs the package trait `Hummingbird`.
        public init(scope: String) {}
        /// Needs the package trait `Hummingbird`.
        public init(stepUp scope: String) {}
    }

    /// Needs the package trait `Hummingbird`.
    @available(
        *, unavailable,
        message: "Add the trait to the dependency: .package(url: \"…\", from: \"…\", traits: [\"Hummingbird\"])"
    )
    public struct VerifiedContext {}

    /// Needs the package trait `Hummingbird`.
    @available(
        *, unavailable,
        message: "Add the trait to the dependency: .package(url: \"…\", from: \"…\", traits: [\"Hummingbird\"])"
    )
    public protocol VerifiedRequestContext {}
#endif
