export interface UploadOptions {
  readonly url: string
  readonly token: string
  /** Receives the number of bytes sent. */
  readonly onSent: (done: number) => void
  /** Aborts the upload. */
  readonly signal: AbortSignal
}

export interface Answered {
  readonly status: number
  /** Undefined if the answer is not JSON. */
  readonly json: unknown
  readonly retryAfter: string | null
}

/**
 * Uploads a file as a stream from the disk. Uses XMLHttpRequest, because `fetch` reports no progress. Rejects without
 * an answer, and with the reason of an aborted signal.
 */
export const sendFile = (file: Blob, {url, token, onSent, signal}: UploadOptions): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    signal.addEventListener("abort", abort, {once: true})
    request.onloadend = () => signal.removeEventListener("abort", abort)
    request.upload.onprogress = ({loaded}) => onSent(loaded)
    request.onabort = () => reject(signal.reason)
    request.onerror = () => reject(new Error("no answer came"))
    request.onload = () =>
      resolve({
        status: request.status,
        json: parse(request.responseText),
        retryAfter: request.getResponseHeader("retry-after"),
      })
    request.open("PUT", url)
    request.setRequestHeader("authorization", `Bearer ${token}`)
    request.setRequestHeader("content-type", "application/octet-stream")
    request.send(file)
  })

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
