import type { ChannelMessage } from './server-messages.js'

/**
 * The messages of one write, in order. Serialized and framed once, however many sockets they go to.
 */
export interface EncodedFrames {
  readonly texts: readonly string[]
  /** The parsed texts of a channel's messages. All readers share one copy. */
  readonly values: readonly ChannelMessage[]
  /** The same as WebSocket text frames, one after the other (RFC 6455, 5.2: final, unmasked, uncompressed). */
  readonly frames: Uint8Array
}

const TEXT_FRAME = 0x81
const LARGEST_SHORT = 125
const IS_16_BIT = 126
const IS_64_BIT = 127
const LARGEST_16_BIT = 65_535

/** A class, so that framing and parsing happen on first use and are then kept. */
class LazyFrames implements EncodedFrames {
  readonly texts: readonly string[]
  #frames: Uint8Array | undefined
  #values: readonly ChannelMessage[] | undefined

  constructor(texts: readonly string[]) {
    this.texts = texts
  }

  get frames(): Uint8Array {
    this.#frames ??= frameTexts(this.texts)
    return this.#frames
  }

  get values(): readonly ChannelMessage[] {
    this.#values ??= this.texts.map((text) => JSON.parse(text) as ChannelMessage)
    return this.#values
  }
}

/**
 * Wraps serialized messages, which are framed on first use.
 * @example
 * ```ts
 * import { encodeFrames } from '@taskboard/core/transport'
 *
 * const { texts, frames } = encodeFrames(['{"type":"pong"}'])
 * console.log(texts.length, frames.length) // 1 17
 * ```
 */
export function encodeFrames(texts: readonly string[]): EncodedFrames {
  return new LazyFrames(texts)
}

function frameTexts(texts: readonly string[]): Uint8Array {
  const lengths = texts.map((text) => Buffer.byteLength(text))
  const total = lengths.reduce((sum, length) => sum + headLength(length) + length, 0)
  const frames = Buffer.allocUnsafeSlow(total)
  let offset = 0
  for (const [index, text] of texts.entries()) {
    offset = writeHead(frames, offset, lengths[index] ?? 0)
    offset += frames.write(text, offset)
  }
  return frames
}

function headLength(length: number): number {
  if (length <= LARGEST_SHORT) return 2
  return length <= LARGEST_16_BIT ? 4 : 10
}

function writeHead(frames: Buffer, start: number, length: number): number {
  const offset = frames.writeUInt8(TEXT_FRAME, start)
  if (length <= LARGEST_SHORT) return frames.writeUInt8(length, offset)
  if (length <= LARGEST_16_BIT) return frames.writeUInt16BE(length, frames.writeUInt8(IS_16_BIT, offset))
  return frames.writeBigUInt64BE(BigInt(length), frames.writeUInt8(IS_64_BIT, offset))
}
