"""Makes pictures of pages smaller: a palette of 256 colours, found by the browser, and the best compression."""

import base64
import json
import struct
import zlib

from browser import Page

#: Returns width, height, the palette, and the index of each pixel. The most frequent colours stay; of the others, those that
#: are far from all chosen ones are chosen next.
COLOURS = """
const blob = new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], { type: "image/png" });
const image = await createImageBitmap(blob);
const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
context.drawImage(image, 0, 0);
const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
const counts = new Map();
for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
const colours = [...counts].sort((a, b) => b[1] - a[1]);
const distance = (a, b) => [0, 8, 16].reduce((sum, shift) => sum + ((a >> shift & 255) - (b >> shift & 255)) ** 2, 0);
const palette = colours.slice(0, 160).map(([colour]) => colour);
const rest = colours.slice(160).map(([colour, count]) =>
  ({ colour, count, far: Math.min(...palette.map((each) => distance(each, colour))) }));
while (palette.length < 256 && rest.some((each) => each.far > 0)) {
  const next = rest.reduce((best, each) => each.far * each.count > best.far * best.count ? each : best);
  palette.push(next.colour);
  for (const each of rest) each.far = Math.min(each.far, distance(each.colour, next.colour));
}
const nearest = new Map();
for (const [colour] of colours) {
  let best = 0;
  for (let index = 1; index < palette.length; index += 1)
    if (distance(palette[index], colour) < distance(palette[best], colour)) best = index;
  nearest.set(colour, best);
}
let indices = "";
for (let start = 0; start < pixels.length; start += 8192)
  indices += String.fromCharCode(...Array.from(pixels.subarray(start, start + 8192), (pixel) => nearest.get(pixel)));
return [image.width, image.height, palette.map((each) => [each & 255, each >> 8 & 255, each >> 16 & 255]), btoa(indices)];
"""


def small_png(page: Page, picture: bytes) -> bytes:
    """Returns the PNG with at most 256 colours."""
    data = json.dumps(base64.b64encode(picture).decode())
    width, height, palette, indices = page.run(f"const data = {data};" + COLOURS)
    pixels = base64.b64decode(indices)
    rows = b"".join(b"\0" + pixels[row * width:(row + 1) * width] for row in range(height))
    return b"\x89PNG\r\n\x1a\n" + b"".join([
        _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        _chunk(b"PLTE", b"".join(map(bytes, palette))),
        _chunk(b"IDAT", zlib.compress(rows, 9)), _chunk(b"IEND", b"")])


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
