import {readType} from "../../../shared/media-types.ts"
import {Problem} from "../../../shared/problems.ts"
import {cleanName} from "../../../shared/sdk/files/name.ts"
import {TimeLimitExceeded, withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {boundedStream, type Source} from "../../runtime/outgoing/bounded-stream.ts"
import {decodePercent} from "../../runtime/text/percent.ts"

/** How long fetching a file that plugin code names by its address may take, in milliseconds. */
const patience = 300_000

export interface FetchOptions {
  /** In bytes. */
  readonly limit: number
  /** Private hosts from which the Host may read. */
  readonly allowPrivate: readonly string[]
  /** Aborted once nobody waits for the file. */
  readonly signal: AbortSignal
}

export interface Fetched<T> {
  /** The result of `store`. */
  readonly stored: T
  /** The media type from the server; undefined if it sent none. */
  readonly type: string | undefined
}

/**
 * Reads an address and streams its bytes to `store`. Throws `file_refused`, `file_unavailable`, `file_too_large`, the
 * signal's reason, and the errors of `store`.
 */
export const fetchFile = async <T>(
  address: string,
  {limit, allowPrivate, signal: outer}: FetchOptions,
  store: (pieces: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<Fetched<T>> => {
  const work = async (signal: AbortSignal): Promise<Fetched<T>> => {
    // Few plugins fetch files, so this code is loaded on first use.
    const {openUrl} = await import("../../runtime/outgoing/open-url.ts")
    const source: Source = await openUrl(address, {signal, allowPrivate})
    const stored = await store(boundedStream(source, {limit, signal}))
    return {stored, type: readType(source.type)}
  }
  try {
    return await withTimeLimit(patience, work, outer)
  } catch (cause) {
    throw outer.aborted ? outer.reason : explained(cause, address)
  }
}

/** Adds the host of the file to an error, without the rest of its address. */
const explained = (cause: unknown, address: string): unknown => {
  const about = `the file of ${URL.parse(address)?.host ?? "an address that is not a URL"}`
  if (cause instanceof TimeLimitExceeded)
    return new Problem("file_unavailable", `${about} did not arrive within ${patience / 1000} s`, {cause})
  if (!(cause instanceof Problem) || !fromThere.has(cause.code)) return cause
  return new Problem(cause.code, `${about} is not sent: ${cause.message}`, {cause})
}

const fromThere: ReadonlySet<string> = new Set(["file_refused", "file_unavailable", "file_too_large"])

/** Returns the name at the end of an address; undefined if it has none. */
export const nameAtEnd = (address: string): string | undefined => {
  const segment = URL.parse(address)?.pathname.split("/").at(-1) ?? ""
  return cleanName(decodePercent(segment)) || undefined
}
