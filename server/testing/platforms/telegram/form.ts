import type {IncomingMessage} from "node:http"
import {buffer} from "node:stream/consumers"
import {tryOr} from "../../../../shared/try-or.ts"

export type Fields = Readonly<Record<string, unknown>>

export interface FormFile {
  readonly name: string
  readonly bytes: Buffer
}

export interface Form {
  readonly fields: Fields
  /** The parts that are files, by name. */
  readonly files: ReadonlyMap<string, FormFile>
}

/** The fields of a request in any form that the Bot API accepts: query, JSON, form, or multipart form. */
export const formOf = async (request: IncomingMessage): Promise<Form> => {
  const body = await buffer(request)
  const type = request.headers["content-type"] ?? ""
  const query = Object.fromEntries(new URL(request.url ?? "/", "http://telegram").searchParams)
  const none = new Map<string, FormFile>()
  if (type.includes("json")) return {fields: {...query, ...JSON.parse(body.toString() || "{}")}, files: none}
  if (!type.includes("multipart"))
    return {fields: {...query, ...Object.fromEntries(new URLSearchParams(body.toString()))}, files: none}
  const parts = partsOf(body, /boundary="?([^";]+)/.exec(type)?.[1] ?? "")
  const files = parts
    .filter(({file}) => file !== undefined)
    .map(({name, file, bytes}) => [name, {name: file ?? "", bytes}] as const)
  const fields = parts.filter(({file}) => file === undefined).map(({name, bytes}) => [name, parsed(bytes.toString())])
  return {fields: {...query, ...Object.fromEntries(fields)}, files: new Map(files)}
}

/** In a form, lists and objects are JSON. */
const parsed = (text: string): unknown => (/^[[{]/.test(text) ? tryOr(() => JSON.parse(text), text) : text)

const partsOf = (body: Buffer, boundary: string) => {
  // One character per byte.
  const all = body.toString("latin1")
  return all
    .split(`--${boundary}`)
    .slice(1, -1)
    .map(part => {
      const end = part.indexOf("\r\n\r\n")
      const head = Buffer.from(part.slice(0, end), "latin1").toString()
      return {
        name: /\bname="([^"]*)"/.exec(head)?.[1] ?? "",
        file: /filename="?([^"\r\n]*)/.exec(head)?.[1],
        bytes: Buffer.from(part.slice(end + 4, -2), "latin1"),
      }
    })
}
