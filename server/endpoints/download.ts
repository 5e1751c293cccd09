import {Problem} from "../../shared/problems.ts"
import type {FileRef, Sender} from "../../shared/sdk/adapter/sender.ts"
import type {Source} from "../runtime/outgoing/bounded-stream.ts"
import {ask} from "./ask.ts"
import type {Endpoint} from "./endpoint.ts"

type Downloaded = Awaited<ReturnType<NonNullable<Sender["download"]>>>

/**
 * Opens a file through the endpoint's adapter; undefined if the adapter leaves it to the Host. Throws
 * `endpoint_offline`, `platform_failed`, `file_unavailable`, and the signal's reason.
 */
export const download = async (endpoint: Endpoint, file: FileRef, signal: AbortSignal): Promise<Source | undefined> => {
  const opened = await ask(endpoint, (sender, limit) => opening(sender, file, AbortSignal.any([limit, signal])), signal)
  return opened === undefined ? undefined : sourceOf(opened, endpoint.spec.name)
}

/** Cancels a stream that comes too late, since nobody reads it. */
const opening = async (sender: Sender, file: FileRef, signal: AbortSignal): Promise<Downloaded> => {
  const opened = await sender.download?.(file, signal)
  if (signal.aborted && opened !== undefined)
    void bodyOf(opened)
      ?.cancel()
      .catch(() => {})
  return opened
}

const bodyOf = (opened: NonNullable<Downloaded>): ReadableStream<Uint8Array> | null =>
  opened instanceof Response ? opened.body : opened

/** An adapter in JavaScript may resolve to any value. */
const sourceOf = (opened: NonNullable<Downloaded>, name: string): Source => {
  const body = bodyOf(opened)
  if (opened instanceof Response && !opened.ok) {
    void body?.cancel().catch(() => {})
    throw new Problem("file_unavailable", `the platform of ${name} answered ${opened.status}`)
  }
  if (!(body instanceof ReadableStream) || body.locked)
    throw new Problem("file_unavailable", `the adapter of ${name} returned a file that cannot be read`)
  const length = opened instanceof Response ? Number(opened.headers.get("content-length") ?? Number.NaN) : Number.NaN
  return {body, ...(Number.isSafeInteger(length) ? {size: length} : {})}
}
