import Testing

@testable import prelude_session

@Suite("The code that huge pages can hold")
struct CodeRangeTests {
    private static let maps = """
        55d000000000-55d000200000 r--p 00000000 fe:00 1663 /opt/prelude session/prelude-session
        55d000201000-55d000a12000 r-xp 00200000 fe:00 1663 /opt/prelude session/prelude-session
        55d000a12000-55d000c00000 rw-p 00a11000 fe:00 1663 /opt/prelude session/prelude-session
        7f25efa44000-7f25efb9a000 r-xp 00026000 fe:00 3331 /usr/lib/x86_64-linux-gnu/libc.so.6
        7f25f0000000-7f25f1000000 rwxp 00000000 00:00 0
        """
    private static let page: UInt = 2 << 20

    private static func range(_ address: UInt) -> CodeRange? { CodeRange(maps: maps, around: address, page: page) }

    @Test("It begins and ends at whole pages, inside the code around the function")
    func whole() throws {
        for address: UInt in [0x55d0_0020_1000, 0x55d0_0050_0000, 0x55d0_00a1_1fff] {
            let range = try #require(Self.range(address))
            #expect(range.start == 0x55d0_0040_0000)
            #expect(range.length == 6 << 20)
        }
    }

    @Test(
        "Of a hot part, all pages that hold some of it, and none outside the code",
        arguments: [
            (0x55d0_0061_0000..<0x55d0_0079_0000, 0x55d0_0060_0000, 2 << 20),
            (0x55d0_005f_ffff..<0x55d0_0060_0001, 0x55d0_0040_0000, 4 << 20),
            (0x55d0_0040_0000..<0x55d0_0060_0000, 0x55d0_0040_0000, 2 << 20),
            (0x55d0_0020_1000..<0x55d0_00a1_2000, 0x55d0_0040_0000, 6 << 20),
        ] as [(Range<UInt>, UInt, Int)])
    func hot(part: Range<UInt>, start: UInt, length: Int) throws {
        let range = try #require(CodeRange(maps: Self.maps, around: 0x55d0_0050_0000, hot: part, page: Self.page))
        #expect(range.start == start)
        #expect(range.length == length)
    }

    @Test(
        "None of a hot part that is in no whole page of the code",
        arguments: [0x55d0_0020_1000, 0x55d0_00a0_1000] as [UInt])
    func hotOutside(address: UInt) {
        #expect(
            CodeRange(maps: Self.maps, around: 0x55d0_0050_0000, hot: address..<address + 1, page: Self.page) == nil)
    }

    @Test(
        "There is none in other memory, in code below the size of a page, and where code can be written",
        arguments: [0x55d0_0000_1000, 0x55d0_00a1_2000, 0x7f25_efa4_5000, 0x7f25_f010_0000, 0x1000] as [UInt])
    func none(address: UInt) { #expect(Self.range(address) == nil) }

    @Test("A size that is no power of two, and a file in another format, give none")
    func invalid() {
        for page: UInt in [0, 3 << 20] {
            #expect(CodeRange(maps: Self.maps, around: 0x55d0_0050_0000, page: page) == nil)
        }
        for maps in ["", "r-xp", "x-y r-xp 0", "55d000201000 r-xp 0", "55d000a12000-55d000201000 r-xp 0"] {
            #expect(CodeRange(maps: maps, around: 0x55d0_0050_0000, page: Self.page) == nil)
        }
    }
}
