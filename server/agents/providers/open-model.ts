import type {Binding} from "../../../shared/agents/binding.ts"
import {createFor, type Opened} from "./create.ts"
import {packageFailure, withoutSecrets} from "./failures.ts"
import type {Hide} from "./hiding.ts"
import {type Model, ModelFailure, type ModelOptions, type ModelReply, type ModelRequest} from "./model.ts"
import {promptOf} from "./prompt.ts"
import {ReplyReader} from "./reply.ts"
import {createWire, type Wire} from "./wire.ts"

export interface OpenOptions {
  /** The project's folder, whose packages come before svc's own. */
  readonly project: string
  /** Takes secrets out of a text: everything that goes to the provider passes it, and what its failures say. */
  readonly hide: Hide
}

/**
 * The model of a binding. Its provider's package is loaded now, and nothing is asked of the provider. Throws `agent_misconfigured`: an
 * unknown provider, a package that is not installed, a key or an address that is missing or cannot be used.
 */
export const openModel = async (binding: Binding, {project, hide}: OpenOptions): Promise<Model> => {
  const opened = await createFor(binding, project)
  const {key} = opened
  const hideAll: Hide = text => hide(key === "" ? text : text.replaceAll(key, "[secret]")).toWellFormed()
  return {call: (request, options) => call(opened, hideAll, request, options)}
}

const call = async (
  opened: Opened,
  hide: Hide,
  request: ModelRequest,
  {signal, onText}: ModelOptions,
): Promise<ModelReply> =>
  untilAborted(signal, async own => {
    const wire = createWire()
    const hear = (text: string) => {
      if (!own.aborted) onText?.(text)
    }
    try {
      return await stream(opened, {...promptOf(request, {source: opened.source, hide}), abortSignal: own}, wire, hear)
    } catch (error) {
      throw withoutSecrets(failureOf(error, wire), hide)
    }
  })

/**
 * Ends with the signal's reason as soon as it is aborted, whatever the work does then. The signal that the work gets is aborted with
 * it, and behind its end: nothing of a connection is left open.
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
  {create, source}: Opened,
  options: Parameters<ReturnType<Opened["create"]>["doStream"]>[0],
  wire: Wire,
  onText: (text: string) => void,
): Promise<ModelReply> => {
  const {stream: parts} = await create(wire.fetch).doStream(options)
  const reply = new ReplyReader(source, onText)
  const reader = parts.getReader()
  try {
    for (;;) {
      const {done, value} = await reader.read()
      if (done) throw reply.ended()
      const complete = reply.take(value)
      if (complete !== undefined) return complete
    }
  } finally {
    // A server may leave the connection open behind the end of its answer.
    reader.cancel().catch(() => {})
  }
}

/** What went wrong below the provider's package counts before what the package makes of it. */
const failureOf = (error: unknown, wire: Wire): ModelFailure =>
  wire.failure() ?? (error instanceof ModelFailure ? error : packageFailure(error))
