import NIOCore
import NIOHTTP2
import SessionHTTP

extension NIOHTTP2Handler.Configuration {
    /// The limits of one connection. A client that exceeds one loses it, with GOAWAY.
    static var limited: Self {
        var configuration = Self()
        // 100 requests at once is what clients expect before they have the settings (RFC 9113 §6.5.2).
        configuration.connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: 100),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 16 * 1024),
            HTTP2Setting(parameter: .initialWindowSize, value: 65_535),
        ]
        // Header blocks in many frames, which cost before they count as a request.
        configuration.connection.maximumSequentialContinuationFrames = 5
        configuration.connection.maximumSequentialEmptyDataFrames = 1
        // What waits for a client that does not read the answers to its own control frames.
        configuration.connection.maximumBufferedControlFrames = 1000
        // SETTINGS, PING and the like.
        configuration.connection.controlFrameRateLimit.maximumCount = 200
        configuration.connection.controlFrameRateLimit.windowLength = .seconds(30)
        // Requests that are cancelled as soon as they are sent ("rapid reset").
        configuration.stream.streamResetFrameRateLimit.maximumCount = 200
        configuration.stream.streamResetFrameRateLimit.windowLength = .seconds(30)
        configuration.stream.streamErrorRateLimit.maximumCount = 200
        configuration.stream.streamErrorRateLimit.windowLength = .seconds(30)
        return configuration
    }
}

extension ListenerLimits {
    /// How a connection of HTTP/2 ends: when it has no request, or when the process ends. `SecureConnectionHandler` has the
    /// times after GOAWAY, also for a client that does not react.
    var http2Management: NIOHTTP2ServerConnectionManagementHandler.Configuration {
        var configuration = NIOHTTP2ServerConnectionManagementHandler.Configuration.defaults
        configuration.maxIdleTime = .seconds(Int64(limits.idleTimeout))
        configuration.maxGraceTime = nil
        configuration.keepalive = nil
        return configuration
    }
}
