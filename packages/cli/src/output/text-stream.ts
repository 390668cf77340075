/** The part of a stream that the program writes to. */
export interface TextStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}
