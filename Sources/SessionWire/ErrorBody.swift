/// The body of every error response of the frontend API.
public struct ErrorBody: Codable, Sendable, Equatable {
    public var code: ErrorCode
    public var type: String
    public var message: String
    public var requestID: String?
    /// The member of the request that the error is about, such as `identifier` or `metadata.note`.
    public var field: String?
    /// `true` if no code that was sent before can be accepted any more. Absent otherwise.
    public var needsNewCode: Bool?
    /// The `htu` that the proof of this request must have, if the proof has another one.
    public var expectedTarget: String?

    public init(
        code: ErrorCode, type: String, message: String, requestID: String?, field: String? = nil,
        needsNewCode: Bool? = nil, expectedTarget: String? = nil
    ) {
        self.code = code
        self.type = type
        self.message = message
        self.requestID = requestID
        self.field = field
        self.needsNewCode = needsNewCode
        self.expectedTarget = expectedTarget
    }

    private enum CodingKeys: String, CodingKey {
        case code, type, message, field
        case requestID = "request_id"
        case needsNewCode = "needs_new_code"
        case expectedTarget = "expected_htu"
    }

    /// Decodes a body. Only `code` is required, because other servers of this protocol may omit the other members, or give
    /// them another type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = try container.decode(ErrorCode.self, forKey: .code)
        type = (try? container.decode(String.self, forKey: .type)) ?? ""
        message = (try? container.decode(String.self, forKey: .message)) ?? ""
        requestID = try? container.decode(String.self, forKey: .requestID)
        field = try? container.decode(String.self, forKey: .field)
        needsNewCode = try? container.decode(Bool.self, forKey: .needsNewCode)
        expectedTarget = try? container.decode(String.self, forKey: .expectedTarget)
    }
}
