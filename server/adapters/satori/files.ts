import {randomUUID} from "node:crypto"
import {refused, type Sender, type StoredFile} from "../../../shared/sdk/sdk.ts"
import {AnswerError, type Api, finalOf, type Methods} from "./api.ts"
import {linkOf} from "./content.ts"
import type {ServerLogin} from "./protocol.ts"

const method = "upload.create"

/** The most bytes of a file inside a message, if a server accepts no uploads. */
const largestInside = 512 * 1024

/**
 * The first reference server has no separate status for a method that its bot lacks: it answers 500, and lists no
 * features.
 */
const isMissing = (error: unknown, features: readonly string[]): boolean =>
  error instanceof AnswerError && [404, 405, 501, ...(features.length === 0 ? [500] : [])].includes(error.status)

/** Uploads files with `upload.create`. If the server lacks the method, small files go into the message. */
export const uploading =
  (api: Api, {features}: ServerLogin): NonNullable<Sender["upload"]> =>
  async ({file}, signal) => {
    if (features.length > 0 && !features.includes(method)) return inside(file)
    try {
      return await api.upload(formOf(file), signal)
    } catch (error) {
      if (isMissing(error, features)) return inside(file)
      throw finalOf(error)
    }
  }

const inside = async (file: StoredFile): Promise<string> => {
  if (file.size > largestInside) {
    throw refused(
      `${file.name} has ${file.size} bytes; the server accepts no uploads, and a message may have ${largestInside}`,
      {
        reason: "file_too_large",
        remediation: "Send a smaller file, or the address of the file.",
      },
    )
  }
  const bytes = new Uint8Array(await new Response(file.stream()).arrayBuffer())
  return `data:${file.type};base64,${Buffer.from(bytes).toString("base64")}`
}

/** Returns a form with one file (RFC 7578), which is read from disk while it is sent. */
export const formOf = (file: StoredFile): {type: string; body: ReadableStream<Uint8Array>} => {
  const boundary = `svc-${randomUUID()}`
  const name = file.name.replace(/["\r\n]/g, encodeURIComponent)
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${file.type}\r\n\r\n`
  const pieces = piecesOf(head, file, `\r\n--${boundary}--\r\n`)
  const body = new ReadableStream<Uint8Array>({
    pull: async controller => {
      const {done, value} = await pieces.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await pieces.return()),
  })
  return {type: `multipart/form-data; boundary=${boundary}`, body}
}

async function* piecesOf(head: string, file: StoredFile, tail: string): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(head)
  yield* file.stream()
  yield Buffer.from(tail)
}

/** Opens files that only the server can open. Leaves other addresses to the Host. */
export const downloading =
  (api: Methods): NonNullable<Sender["download"]> =>
  async ({src}, signal) => {
    const link = linkOf(src)
    if (link === undefined) return undefined
    const answer = await api.open(link, signal)
    if (answer !== undefined) return answer
    throw refused("the file's address leads to no file on the server", {
      reason: "file_unknown",
      remediation: "Ask the author of the message to send the file again.",
    })
  }
