import type {IncomingMessage} from "node:http"
import {NodeRequest} from "srvx/node"
import {fromJson} from "../../../shared/json.ts"
import {oncePer} from "../flow/remember.ts"

/** Set once the body was read without a web stream. */
const isRead = Symbol("isRead")

/** The properties of srvx's requests beyond those of Fetch. */
interface Incoming extends Request {
  readonly runtime?: {readonly node?: {readonly req: IncomingMessage}}
  readonly _request: Request
  readonly _abortController: AbortController
  [isRead]?: true
}

const own = NodeRequest.prototype as Incoming

const getterOf = <K extends "_request" | "body" | "bodyUsed">(name: K) =>
  Object.getOwnPropertyDescriptor(own, name)?.get as (this: Incoming) => Incoming[K]

const decoder = new TextDecoder()

/** The conversion of the bytes for each method of Fetch that reads a whole body. */
const readers = {
  arrayBuffer: ({buffer, byteOffset, byteLength}: Buffer) =>
    byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength),
  text: (bytes: Buffer) => decoder.decode(bytes),
  json: (bytes: Buffer) => fromJson(decoder.decode(bytes)),
}

/**
 * On Node, reads an untouched body of at most `largest` declared bytes directly from its connection. srvx first builds
 * a request of undici and a web stream, which costs more than everything else in receiving a small body (measured).
 */
export const readBodiesStraight = (largest: number): void => {
  for (const [name, convert] of Object.entries(readers)) replaceReader(name as keyof typeof readers, convert, largest)
  const [request, body, bodyUsed] = [getterOf("_request"), getterOf("body"), getterOf("bodyUsed")]
  const spentOf = oncePer(spentLike)
  replaceGetter("_request", function (this: Incoming) {
    return this[isRead] === undefined ? request.call(this) : spentOf(this)
  })
  replaceGetter("body", function (this: Incoming) {
    return this[isRead] === undefined ? body.call(this) : this._request.body
  })
  replaceGetter("bodyUsed", function (this: Incoming) {
    return this[isRead] ?? bodyUsed.call(this)
  })
}

const replaceGetter = (name: keyof Incoming, get: (this: Incoming) => unknown) =>
  Object.defineProperty(own, name, {get, configurable: true, enumerable: true})

const replaceReader = (name: keyof typeof readers, convert: (bytes: Buffer) => unknown, largest: number) => {
  const {[name]: throughStream} = own
  const value = function (this: Incoming): Promise<unknown> {
    if (this[isRead] !== undefined) return this._request[name]()
    const message = this.runtime?.node?.req
    const size = message === undefined ? Number.NaN : untouchedSizeOf(message)
    if (message === undefined || !(size <= largest)) return throughStream.call(this)
    this[isRead] = true
    return bytesOf(message, this).then(convert)
  }
  Object.defineProperty(own, name, {value, configurable: true, writable: true, enumerable: true})
}

/** Returns the declared size of a body that nothing has begun to read; NaN without one. */
const untouchedSizeOf = (message: IncomingMessage): number => {
  const isUntouched = message.readableFlowing === null && !message.readableDidRead
  return isUntouched ? Number(message.headers["content-length"]) : Number.NaN
}

/** Reads the body; Node ends it at its declared size. */
const bytesOf = (message: IncomingMessage, request: Incoming): Promise<Buffer> =>
  new Promise((done, fail) => {
    const chunks: Buffer[] = []
    const onData = (chunk: Buffer) => void chunks.push(chunk)
    const leave = () => message.off("data", onData).off("end", onEnd).off("error", onError).off("close", onClose)
    const onEnd = () => {
      leave()
      const [first] = chunks
      done(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks))
    }
    const onError = (error: Error) => {
      leave()
      // srvx creates the signal on first use, when the connection has already closed.
      request._abortController.abort(error)
      fail(error)
    }
    const onClose = () => onError(message.errored ?? new Error("the connection closed"))
    if (message.destroyed) onClose()
    else message.on("data", onData).on("end", onEnd).on("error", onError).on("close", onClose)
  })

/** Returns a request of undici whose body was read. */
const spentLike = ({url, method, headers, signal}: Request): Request => {
  const made = new Request(url, {method, headers, signal, body: ""})
  void made.arrayBuffer()
  return made
}
