import {type Issue, Problem} from "../../shared/problems.ts"
import type {TSchema} from "../../shared/type.ts"
import {explainValue} from "../config/explain.ts"
import {formatPath} from "../config/source.ts"
import {limits} from "../runtime/runtime.ts"

const tooLarge = () => new Problem("body_too_large", `the body is larger than ${limits.body} bytes`)

/**
 * The bytes of a body, as they came. Throws `body_too_large`, after the rest has been read and dropped: Bun closes a
 * connection whose body was not read, and the client would see a broken pipe instead of the answer.
 */
export const readBody = async (request: Request): Promise<Uint8Array<ArrayBuffer>> => {
  if (Number(request.headers.get("content-length") ?? 0) > limits.bodyDropped) throw tooLarge()
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > limits.bodyDropped) break
      if (size <= limits.body) chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_BODY_TOO_LARGE") throw tooLarge()
    throw new Problem("request_invalid", "the body did not arrive whole", {cause})
  }
  if (size > limits.body) throw tooLarge()
  return Buffer.concat(chunks)
}

/** A JSON body that fits its schema. Throws `unsupported_media_type`, `body_too_large`, `request_invalid`. */
export const readJson = async (request: Request, schema: TSchema): Promise<unknown> => {
  const bytes = await readBody(request)
  if (bytes.length === 0) return checked({}, schema)
  if (!/^application\/(.+\+)?json\b/i.test(request.headers.get("content-type") ?? "")) {
    throw new Problem("unsupported_media_type", "the body must be sent as application/json")
  }
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder("utf-8", {fatal: true}).decode(bytes))
  } catch (cause) {
    throw new Problem("request_invalid", "the body is not JSON in UTF-8", {cause})
  }
  return checked(value, schema)
}

const checked = (value: unknown, schema: TSchema): unknown => {
  const issues = explainValue(schema, value).map(
    ({path, message}): Issue => ({file: "body", line: 1, column: 1, path: formatPath(path), message}),
  )
  if (issues.length === 0) return value
  const detail = issues.map(({path, message}) => (path === "" ? message : `${path}: ${message}`)).join("; ")
  throw new Problem("request_invalid", detail, {issues})
}

/** Query parameters by their schema: numbers and booleans converted, defaults filled in. Throws `request_invalid`. */
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
