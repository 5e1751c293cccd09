import {type FileRef, refused, type StoredFile} from "../../../shared/sdk/sdk.ts"
import {type Client, MatrixError, path} from "./client/client.ts"
import {numberIn, textIn} from "./client/json.ts"

const mxc = /^mxc:\/\/([A-Za-z0-9.:[\]-]+)\/([A-Za-z0-9_-]+)$/

/** Streams files to the homeserver. */
export class Uploads {
  readonly #client: Client
  #most: Promise<number | undefined> | undefined

  constructor(client: Client) {
    this.#client = client
  }

  /** Resolves to the file's `mxc:` address. Throws a refusal if the homeserver rejects the file. */
  async upload(file: StoredFile, signal: AbortSignal): Promise<string> {
    this.#most ??= mostBytes(this.#client, signal).catch(error => {
      this.#most = undefined
      throw error
    })
    const most = await this.#most
    if (most !== undefined && file.size > most)
      throw refused(`${file.name} has ${file.size} bytes; the homeserver accepts ${most}`, {
        reason: "file_too_large",
        remediation: "Send a smaller file, or ask the homeserver's operators for a higher limit.",
      })
    const answer = await this.#client.send("POST", `/media/v3/upload?${new URLSearchParams({filename: file.name})}`, {
      // Homeservers need the length in advance.
      headers: {"content-type": file.type, "content-length": String(file.size)},
      body: file.size === 0 ? new Uint8Array() : file.stream(),
      duplex: "half",
      signal,
    })
    const address = textIn(answer, "content_uri")
    if (address === undefined || !mxc.test(address))
      throw new Error("POST /media/v3/upload: the homeserver returned no address")
    return address
  }
}

/** Returns undefined if the homeserver does not report its limit. */
const mostBytes = async (client: Client, signal: AbortSignal): Promise<number | undefined> => {
  const ask = (route: string) => client.ask("GET", route, {signal})
  const isUnknown = (error: unknown) => error instanceof MatrixError && error.status < 429 && error.status !== 401
  const answer = await ask("/client/v1/media/config").catch(error => {
    if (!isUnknown(error)) throw error
    return ask("/media/v3/config").catch(later => {
      if (!isUnknown(later)) throw later
      return {}
    })
  })
  return numberIn(answer, "m.upload.size")
}

/**
 * Opens a file of the homeserver; undefined for an address other than `mxc:`. It first asks with the account's token. A
 * homeserver before v1.11 serves files to everyone at the older address. A redirect does not receive the token.
 */
export const download = async (client: Client, {src}: FileRef, signal: AbortSignal): Promise<Response | undefined> => {
  const [, server, id] = mxc.exec(src ?? "") ?? []
  if (server === undefined || id === undefined) return undefined
  const answer = await client.fetch("GET", path`/client/v1/media/download/${server}/${id}`, {signal})
  if (answer.status !== 404 && answer.status !== 400 && answer.status !== 405) return follow(answer, signal)
  await answer.body?.cancel()
  return follow(await client.fetch("GET", path`/media/v3/download/${server}/${id}`, {signal}), signal)
}

const follow = async (answer: Response, signal: AbortSignal): Promise<Response> => {
  if (answer.status < 300 || answer.status > 399) return answer
  await answer.body?.cancel()
  const target = answer.headers.get("location") ?? ""
  if (!/^https?:\/\//i.test(target)) throw new Error("the homeserver redirected a file to an invalid address")
  return fetch(target, {signal, redirect: "error"})
}

/** Returns the kind of message for a file of this media type. */
export const kindOf = (type: string): "m.image" | "m.audio" | "m.video" | "m.file" => {
  const [kind = ""] = type.split("/")
  return kind === "image" || kind === "audio" || kind === "video" ? `m.${kind}` : "m.file"
}
