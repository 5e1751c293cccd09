import {createFor, type Opened} from "./create.ts"
import {packageFailure, withoutSecrets} from "./failures.ts"
import type {Hide} from "./hiding.ts"
import type {CallOptions} from "./language-model.ts"
import {type Model, ModelFailure, type ModelOptions, type ModelReply, type ModelRequest} from "./model.ts"
import type {BoundModel} from "./models.ts"
import {promptOf} from "./prompt.ts"
import {ReplyReader} from "./reply.ts"
import {createWire, type Wire} from "./wire.ts"

export interface OpenOptions {
  /** The project's folder. Its packages take precedence over svc's own. */
  readonly project: string
  /** Removes secrets from a text. Everything sent to the provider passes through it, and so do its failures. */
  readonly hide: Hide
}

/**
 * Opens a model. Loads the provider's package, but sends no request. Throws `agent_misconfigured` for an
 * unknown provider, a missing package, or a missing or invalid key or address.
 */
export const openModel = async (model: BoundModel, {project, hide}: OpenOptions): Promise<Model> => {
  const opened = await createFor(model, project)
  const {key} = opened
  const hideAll: Hide = text => hide(key === "" ? text : text.replaceAll(key, "[secret]")).toWellFormed()
  return {call: (request, options) => call(opened, hideAll, request, options)}
}

const call = async (
  opened: Opened,
  hide: Hide,
  request: ModelRequest,
  {signal, onText, onPart, onUnknown}: ModelOptions,
): Promise<ModelReply> =>
  untilAborted(signal, async own => {
    const wire = createWire(opened.provider, what => onUnknown?.(hide(what)))
    const hear = (text: string) => {
      if (!own.aborted) onText?.(text)
    }
    try {
      return await stream(opened, {...promptOf(request, {source: opened.source, hide}), abortSignal: own}, wire, {
        onText: hear,
        onPart,
      })
    } catch (error) {
      throw withoutSecrets(failureOf(error, wire), hide)
    }
  })

/**
 * Rejects with the signal's reason as soon as it aborts, whatever the work does then. The work's own signal aborts at
 * the same time, and also when the work ends, so that no connection stays open.
 */
const untilAborted = async <T>(signal: AbortSignal, work: (own: AbortSignal) => Promise<T>): Promise<T> => {
  signal.throwIfAborted()
  const own = new AbortController()
  const {promise, reject} = Promise.withResolvers<never>()
  const onAbort = () => {
    reject(signal.reason)
    own.abort(signal.reason)
  }
  signal.addEventListener("abort", onAbort, {once: true})
  try {
    return await Promise.race([work(own.signal), promise])
  } finally {
    signal.removeEventListener("abort", onAbort)
    own.abort()
  }
}

const stream = async (
  {stream: open, source}: Opened,
  options: CallOptions,
  wire: Wire,
  {onText, onPart}: {readonly onText: (text: string) => void; readonly onPart: ModelOptions["onPart"]},
): Promise<ModelReply> => {
  const {stream: parts} = await open(options, wire.fetch)
  const reply = new ReplyReader(source, onText)
  const reader = parts.getReader()
  try {
    for (;;) {
      const {done, value} = await reader.read()
      if (done) throw reply.ended()
      onPart?.()
      const complete = reply.take(value)
      if (complete !== undefined) return complete
    }
  } finally {
    // A server may leave the connection open after the end of its answer.
    reader.cancel().catch(() => {})
  }
}

/** A failure below the provider's package takes precedence over the package's own error. */
const failureOf = (error: unknown, wire: Wire): ModelFailure =>
  wire.failure() ?? (error instanceof ModelFailure ? error : packageFailure(error))
