import type {Answer, Path} from "../../../../shared/api/operations/client.ts"
import {refusalFrom, Unreachable} from "../host/client.ts"
import type {Account} from "./accounts.svelte.ts"

interface UploadOptions {
  /** The Host: its address, and a token for it. */
  readonly to: Pick<Account, "url" | "token">
  /** Receives the number of bytes sent. */
  readonly onSent: (done: number) => void
  /** Aborts the upload. */
  readonly signal: AbortSignal
}

/**
 * Uploads a file as a stream from the disk. Uses XMLHttpRequest, because `fetch` reports no progress. Throws `Refusal`
 * and `Unreachable`, and the reason of an aborted signal.
 */
export const upload = <P extends Path<"PUT">>(
  path: P,
  file: Blob,
  {to: {url, token}, onSent, signal}: UploadOptions,
): Promise<Answer<"PUT", P>> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    signal.addEventListener("abort", abort, {once: true})
    request.onloadend = () => signal.removeEventListener("abort", abort)
    request.upload.onprogress = ({loaded}) => onSent(loaded)
    request.onabort = () => reject(signal.reason)
    request.onerror = () => reject(new Unreachable(`${url} does not answer, or ended the upload`))
    request.onload = () => {
      const json = parse(request.responseText)
      if (request.status >= 300) reject(refusalFrom(request.status, json, request.getResponseHeader("retry-after")))
      else if (json === undefined) reject(new Unreachable(`${url} did not answer as a Host`))
      else resolve(json)
    }
    request.open("PUT", `${url}${path}`)
    request.setRequestHeader("authorization", `Bearer ${token}`)
    request.setRequestHeader("content-type", "application/octet-stream")
    request.send(file)
  })

/** Returns undefined if the text is not JSON. */
const parse = (text: string) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
