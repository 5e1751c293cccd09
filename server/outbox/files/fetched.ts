import {readType} from "../../../shared/media-types.ts"
import {Problem} from "../../../shared/problems.ts"
import {TimeLimitExceeded, withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {boundedStream, type Source} from "../../runtime/outgoing/bounded-stream.ts"

/** A file that plugin code names by its address may take so long in all, in milliseconds. */
const patience = 300_000

export interface FetchOptions {
  /** In bytes. */
  readonly limit: number
  /** Hosts of private networks that the Host may read from. */
  readonly allowPrivate: readonly string[]
  /** Aborted once nobody waits for the file any more. */
  readonly signal: AbortSignal
}

export interface Fetched<T> {
  /** What `store` made of the bytes. */
  readonly stored: T
  /** The media type that the server said; undefined where it said none. */
  readonly type: string | undefined
}

/**
 * Reads an address and hands its bytes to `store` as they come. Throws `file_refused`, `file_unavailable`, `file_too_large`, the
 * signal's reason, and what `store` throws.
 */
export const fetchFile = async <T>(
  address: string,
  {limit, allowPrivate, signal: outer}: FetchOptions,
  store: (pieces: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<Fetched<T>> => {
  const work = async (signal: AbortSignal): Promise<Fetched<T>> => {
    // Few plugins fetch files: the others do not load what reads them.
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

/** Says which file it was about, without more of its address than its host. */
const explained = (cause: unknown, address: string): unknown => {
  const about = `the file of ${URL.parse(address)?.host ?? "an address that is no URL"}`
  if (cause instanceof TimeLimitExceeded)
    return new Problem("file_unavailable", `${about} was not there within ${patience / 1000} s`, {cause})
  if (!(cause instanceof Problem) || !fromThere.has(cause.code)) return cause
  return new Problem(cause.code, `${about} is not sent: ${cause.message}`, {cause})
}

const fromThere: ReadonlySet<string> = new Set(["file_refused", "file_unavailable", "file_too_large"])

/** Characters that turn the direction of a text, or control it. */
const hidden = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029/\\]/gu

/** The name at the end of an address; undefined where it has none. */
export const nameAtEnd = (address: string): string | undefined => {
  const segment = URL.parse(address)?.pathname.split("/").at(-1) ?? ""
  const name = decoded(segment).replace(hidden, "").trim().slice(-200).toWellFormed()
  return /^\.*$/.test(name) ? undefined : name
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
