/// The body of every error response of the frontend API.
package struct ErrorBody: Codable, Sendable, Equatable {
    package var code: ErrorCode
    package var type: String
    package var message: String
    package var requestID: String?

    package init(code: ErrorCode, type: String, message: String, requestID: String?) {
        self.code = code
        self.type = type
        self.message = message
        self.requestID = requestID
    }

    private enum CodingKeys: String, CodingKey {
        case code, type, message
        case requestID = "request_id"
    }

    /// Decodes a body. Only `code` is required, because other servers of this protocol may omit the other members.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = try container.decode(ErrorCode.self, forKey: .code)
        type = try container.decodeIfPresent(String.self, forKey: .type) ?? ""
        message = try container.decodeIfPresent(String.self, forKey: .message) ?? ""
        requestID = try container.decodeIfPresent(String.self, forKey: .requestID)
    }
}
