import {parseJson} from "../../../shared/json.ts"
import {type Issue, Problem} from "../../../shared/problems.ts"
import type {TSchema} from "../../../shared/type.ts"
import {limits} from "../../runtime/runtime.ts"
import {explainValue} from "../../runtime/text/explain.ts"
import {formatPath} from "../../runtime/text/path.ts"
import type {BodyHold} from "./bodies.ts"

const tooLarge = () => new Problem("body_too_large", `the body is larger than ${limits.body} bytes`)

const tooSlow = () => new Problem("request_timeout", `the body did not arrive within ${limits.requestTimeout / 1000} s`)

/**
 * Returns the raw bytes of a body. Throws `body_too_large` after reading and dropping the rest, so that the client sees
 * the response; `request_timeout`; and `no_room` if `hold` has none.
 */
export const readBody = async (request: Request, hold: BodyHold): Promise<Uint8Array<ArrayBuffer>> => {
  if (Number(request.headers.get("content-length") ?? 0) > limits.bodyDropped) throw tooLarge()
  if (request.body === null) return new Uint8Array()
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader()
  let isLate = false
  // Bun sets no limit to the time of a slow body.
  const limit = setTimeout(() => {
    isLate = true
    reader.cancel().catch(() => {})
  }, limits.requestTimeout)
  try {
    const {chunks, size} = await readChunks(reader, hold)
    if (isLate) throw tooSlow()
    if (size > limits.body) throw tooLarge()
    return Buffer.concat(chunks)
  } catch (cause) {
    reader.cancel().catch(() => {})
    if (cause instanceof Problem) throw cause
    if (isLate) throw tooSlow()
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_BODY_TOO_LARGE") throw tooLarge()
    throw new Problem("request_invalid", "the body arrived incomplete", {cause})
  } finally {
    clearTimeout(limit)
  }
}

/** Keeps no bytes above the limit of one body, and stops reading at the limit of dropped bytes. */
const readChunks = async (reader: ReadableStreamDefaultReader<Uint8Array>, hold: BodyHold) => {
  const chunks: Uint8Array[] = []
  let size = 0
  while (size <= limits.bodyDropped) {
    const {done, value} = await reader.read()
    if (done) break
    size += value.length
    if (size > limits.body) continue
    hold.take(value.length)
    chunks.push(value)
  }
  return {chunks, size}
}

/** Throws `unsupported_media_type` for a compressed body: a small one can become a large one. */
export const requirePlain = ({headers}: Request): void => {
  const encoding = headers.get("content-encoding") ?? ""
  if (/^\s*(identity\s*)?$/i.test(encoding)) return
  throw new Problem("unsupported_media_type", "the body has a Content-Encoding, and the Host decodes none", {
    hint: "Send the body without compression.",
  })
}

/** Returns a JSON body that matches its schema. Throws `unsupported_media_type`, `request_invalid`, as `readBody`. */
export const readJson = async (request: Request, schema: TSchema, hold: BodyHold): Promise<unknown> => {
  const bytes = await readBody(request, hold)
  if (bytes.length === 0) return checked({}, schema)
  if (!/^application\/(.+\+)?json\b/i.test(request.headers.get("content-type") ?? "")) {
    throw new Problem("unsupported_media_type", "the body must be sent as application/json")
  }
  let text: string
  try {
    text = new TextDecoder("utf-8", {fatal: true}).decode(bytes)
  } catch (cause) {
    throw new Problem("request_invalid", "the body is not UTF-8", {cause})
  }
  return checked(parseJson(text), schema)
}

const checked = (value: unknown, schema: TSchema): unknown => {
  const issues = explainValue(schema, value).map(
    ({path, message}): Issue => ({file: "body", line: 1, column: 1, path: formatPath(path), message}),
  )
  if (issues.length === 0) return value
  const detail = issues.map(({path, message}) => (path === "" ? message : `${path}: ${message}`)).join("; ")
  throw new Problem("request_invalid", detail, {issues})
}

/** Returns the query by its schema, with numbers, booleans and defaults. Throws `request_invalid`. */
export const readQuery = (url: string, schema: TSchema): Readonly<Record<string, unknown>> => {
  const properties = (schema as {properties?: Record<string, {type?: string; default?: unknown}>}).properties ?? {}
  const query = new Map<string, unknown>()
  const at = url.indexOf("?")
  for (const [key, text] of new URLSearchParams(at < 0 ? "" : url.slice(at + 1))) {
    const type = Object.hasOwn(properties, key) ? properties[key]?.type : undefined
    const isNumber = (type === "integer" || type === "number") && text !== "" && Number.isFinite(Number(text))
    const isBoolean = type === "boolean" && /^(true|false)$/.test(text)
    query.set(key, isNumber ? Number(text) : isBoolean ? text === "true" : text)
  }
  for (const [key, {default: fallback}] of Object.entries(properties)) {
    if (!query.has(key) && fallback !== undefined) query.set(key, fallback)
  }
  return checked(Object.fromEntries(query), schema) as Record<string, unknown>
}
