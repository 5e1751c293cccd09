export interface UploadOptions {
  readonly url: string
  readonly token: string
  /** Hears how many bytes are sent. */
  readonly onSent: (done: number) => void
  /** Gives it up. */
  readonly signal: AbortSignal
}

export interface Answered {
  readonly status: number
  /** Undefined where it is none. */
  readonly json: unknown
  readonly retryAfter: string | null
}

/**
 * Sends a file as it is read from the disk: `fetch` tells nothing of how far it is. Rejects where no answer came, and with what the
 * signal was aborted with.
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
