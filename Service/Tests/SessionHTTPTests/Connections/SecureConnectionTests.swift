import NIOCore
import NIOEmbedded
import Testing

@testable import SessionHTTP

@Suite("Limits of a connection with TLS and HTTP/2")
struct SecureConnectionTests {
    private static var limits: ConnectionLimits {
        var limits = ConnectionLimits()
        (limits.connections, limits.healthReserve) = (2, 1)
        (limits.headerTimeout, limits.idleTimeout) = (10, 75)
        return limits
    }

    private let world = ConnectionWorld(limits)

    @Test("The handshake and the preface share one deadline, that of headers")
    func handshake() throws {
        let (channel, _) = try world.connectSecure()
        world.advance(9)
        #expect(channel.isActive)
        world.advance(1)
        #expect(!channel.isActive)
        #expect(world.lines == ["closed connections: the TLS handshake took too long 1"])
    }

    @Test("After the preface, the connection is open until it is idle, and two seconds more for the answer to GOAWAY")
    func idle() throws {
        let (channel, handler) = try world.connectSecure()
        handler.receivedPreface()
        world.advance(76)
        #expect(channel.isActive)
        #expect(handler.requestOpened())
        world.advance(100)
        handler.requestClosed()
        world.advance(76)
        #expect(channel.isActive)
        world.advance(1)
        #expect(!channel.isActive)
        #expect(world.lines.isEmpty, "it is normal, so it is not logged")
    }

    @Test("After an error of the connection, nothing is read, and the connection is closed two seconds later")
    func error() throws {
        let (channel, handler) = try world.connectSecure()
        handler.receivedPreface()
        try channel.writeInbound(ByteBuffer(string: "a"))
        #expect(try channel.readInbound(as: ByteBuffer.self) != nil)
        handler.sentError()
        handler.sentError()
        try channel.writeInbound(ByteBuffer(string: "a"))
        #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
        world.advance(1)
        #expect(channel.isActive)
        world.advance(1)
        #expect(!channel.isActive)
        #expect(world.lines == ["closed connections: a client broke the rules or limits of HTTP/2 1"])
    }

    @Test("After an error, a client that closes its side ends the connection at once")
    func errorAndEnd() throws {
        let (channel, handler) = try world.connectSecure()
        handler.receivedPreface()
        handler.sentError()
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!channel.isActive)
    }

    @Test("A client that closes its side ends the connection two seconds after the responses to its complete requests")
    func left() throws {
        let (idle, working) = (try world.connectSecure(), try world.connectSecure())
        for (_, handler) in [idle, working] { handler.receivedPreface() }
        #expect(working.handler.requestOpened())
        working.handler.requestBecomesBusy()
        for (channel, _) in [idle, working] {
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        world.advance(2)
        #expect(!idle.channel.isActive && working.channel.isActive)
        working.handler.requestWaits()
        working.handler.requestClosed()
        #expect(working.channel.isActive)
        world.advance(2)
        #expect(!working.channel.isActive)
    }

    @Test("An unfinished request does not keep the place of its connection, and a complete one does")
    func places() throws {
        let (first, second) = (try world.connectSecure(), try world.connectSecure())
        for (_, handler) in [first, second] {
            handler.receivedPreface()
            #expect(handler.requestOpened())
        }
        let third = try world.connectSecure()
        #expect(!first.channel.isActive && !third.handler.isReserved)
        for (_, handler) in [second, third] { handler.requestBecomesBusy() }
        let fourth = try world.connectSecure()
        #expect(fourth.handler.isReserved && second.channel.isActive && third.channel.isActive)
        second.handler.requestWaits()
        #expect(try !world.connectSecure().handler.isReserved)
        #expect(!second.channel.isActive)
    }

    @Test("When the process ends, open requests have ten seconds, and later ones are refused after two")
    func draining() throws {
        let (channel, handler) = try world.connectSecure()
        handler.receivedPreface()
        #expect(handler.requestOpened())
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        world.advance(1)
        #expect(handler.requestOpened(), "it may have been sent before the client saw GOAWAY")
        world.advance(1)
        #expect(!handler.requestOpened())
        world.advance(7)
        #expect(channel.isActive)
        world.advance(1)
        #expect(!channel.isActive)
    }

    @Test(
        "When the process ends, a connection closes two seconds after its last request, and at once during the handshake"
    )
    func drained() throws {
        let (channel, handler) = try world.connectSecure()
        handler.receivedPreface()
        #expect(handler.requestOpened())
        let (other, _) = try world.connectSecure()
        for channel in [channel, other] { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
        #expect(!other.isActive)
        handler.requestClosed()
        world.advance(1)
        #expect(channel.isActive)
        world.advance(1)
        #expect(!channel.isActive)
    }
}
