import {deepestAnswer, nestsDeeper} from "../../json.ts"

/** The largest answer that is read when no limit is given, in bytes. */
const usualAnswer = 4 * 1024 * 1024

/** The statuses whose answers have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** Bun decompresses ahead of the reader, without a limit; so `fetchWhole` decompresses itself there. */
const raw: object = "bun" in process.versions ? {decompress: false} : {}

/** Options of `fetch`, and a limit. */
export interface FetchInit extends RequestInit {
  /** The largest answer, in bytes; 4 MiB when left out. */
  readonly most?: number
  /** Needed for a body that is a stream. */
  readonly duplex?: "half"
}

/** An answer has more bytes than its reader takes. */
export class AnswerTooLarge extends Error {
  constructor(most: number) {
    super(`the answer is larger than ${most} bytes`)
  }
}

/** Joins the first `size` bytes of pieces in a new buffer: `Buffer.concat` may use a part of a shared one. */
export const joinBytes = (pieces: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece.subarray(0, size - at), at)
    at += piece.length
  }
  return whole
}

/** Resolves to a body's first bytes, in a new buffer, and to whether these are all. Disconnects at the limit. */
export const readStart = async (
  body: ReadableStream<Uint8Array> | null,
  most: number,
): Promise<{readonly bytes: Uint8Array<ArrayBuffer>; readonly isWhole: boolean}> => {
  const pieces: Uint8Array[] = []
  let size = 0
  const reader = body?.getReader()
  for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
    pieces.push(next.value)
    size += next.value.byteLength
    if (size > most) break
  }
  if (size > most) reader?.cancel().catch(() => {})
  return {bytes: joinBytes(pieces, Math.min(size, most)), isWhole: size <= most}
}

/** Resolves to the body of an answer. Rejects, and ends the connection, if it has more than `most` bytes. */
const readBody = async (body: Response["body"], most: number): Promise<Uint8Array<ArrayBuffer>> => {
  const {bytes, isWhole} = await readStart(body, most)
  if (!isWhole) throw new AnswerTooLarge(most)
  return bytes
}

/** Resolves to the text of an answer. Rejects, and ends the connection, if it has more than `most` bytes. */
export const readText = async ({body}: Response, most = usualAnswer): Promise<string> =>
  new TextDecoder().decode(await readBody(body, most))

/**
 * Like `fetch`, for a short answer: resolves once it is complete. Rejects, and ends the connection, if it has more than
 * `most` bytes, of which compressed ones count as what they become, or is JSON deeper than 50,000 levels. Without an
 * answer, rejects with the reason, such as a name that does not resolve.
 */
export const fetchWhole = async (input: string | URL | Request, init: FetchInit = {}): Promise<Response> => {
  const {most = usualAnswer, ...options} = init
  const asked = new Headers(options.headers ?? (input instanceof Request ? input.headers : undefined))
  asked.set("accept-encoding", "gzip")
  const answer = await fetch(input, {...options, ...raw, headers: asked}).catch(error => {
    // Node's `fetch failed` has no details; its cause does.
    throw error.cause instanceof Error && error.cause.message !== "" ? error.cause : error
  })
  const {status, statusText} = answer
  const headers = new Headers(answer.headers)
  const isPacked = "decompress" in raw && headers.get("content-encoding") === "gzip"
  const body = isPacked ? answer.body?.pipeThrough(new DecompressionStream("gzip")) : answer.body
  const bytes = await readBody(body ?? null, most)
  // A shorter answer is not so deep, and its reader decodes it.
  if (bytes.length > deepestAnswer && nestsDeeper(new TextDecoder().decode(bytes), deepestAnswer))
    throw new Error(`the answer is deeper than ${deepestAnswer} levels`)
  for (const name of ["content-encoding", "content-length"]) headers.delete(name)
  return new Response(bodiless.has(status) ? null : bytes, {status, statusText, headers})
}
