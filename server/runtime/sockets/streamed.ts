/** Set on a response that this process made: whether its body is a stream. */
export const streamed = Symbol("streamed")

export const isStream = (body: unknown): boolean =>
  typeof body === "object" && body !== null && Symbol.asyncIterator in body

/** Is a response read as it is made? To ask its `body` would make a stream of a text, without a length. */
export const isStreamed = (response: Response & {readonly [streamed]?: boolean}): boolean =>
  response[streamed] ?? (process.versions.bun === undefined || response.url !== "")
