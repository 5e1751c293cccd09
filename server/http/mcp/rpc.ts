import {isObject} from "../../../shared/json.ts"

type Json = Readonly<Record<string, unknown>>

export const rpcCodes = {
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  noResource: -32002,
} as const

/** A failure that JSON-RPC reports. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: keyof typeof rpcCodes, message: string, data?: unknown) {
    super(message)
    this.code = rpcCodes[code]
    this.data = data
  }
}

export type Methods = Readonly<Record<string, (params: Json) => unknown>>

interface RpcAnswer {
  readonly jsonrpc: "2.0"
  /** Null if the message is no request. */
  readonly id: string | number | null
  readonly result?: unknown
  readonly error?: unknown
}

const failure = (id: RpcAnswer["id"], {code, message, data}: RpcError): RpcAnswer => ({
  jsonrpc: "2.0",
  id,
  error: {code, message, ...(data === undefined ? {} : {data})},
})

/** The answer to a message that is no request of JSON-RPC. */
export const refusal = (message: string) => failure(null, new RpcError("invalidRequest", message))

/** Answers a message of JSON-RPC 2.0; undefined for a notification or a response. */
export const answerMessage = async (message: unknown, methods: Methods): Promise<RpcAnswer | undefined> => {
  if (!isObject(message) || message.jsonrpc !== "2.0") return refusal("this is no message of JSON-RPC 2.0")
  const {id, method, params = {}} = message
  if (method === undefined && ("result" in message || "error" in message)) return undefined
  if (typeof method !== "string" || !isObject(params)) return refusal("method must be text, and params an object")
  if (id === undefined) return undefined
  if (typeof id !== "string" && typeof id !== "number") return refusal("id must be text or a number")
  try {
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (run === undefined) throw new RpcError("unknownMethod", `there is no method ${method.slice(0, 100)}`)
    return {jsonrpc: "2.0", id, result: await run(params)}
  } catch (error) {
    if (error instanceof RpcError) return failure(id, error)
    throw error
  }
}
