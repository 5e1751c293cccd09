import {detailsOf, type KeptPart} from "./details.ts"
import {cutFailure, malformedFailure, packageFailure} from "./failures.ts"
import type {PartMetadata, ReadPart, StreamPart, TokenUsage} from "./language-model.ts"
import type {ModelCall, ModelReply, ModelUsage} from "./model.ts"

/** The longest reply, in characters: text, thoughts and arguments. */
export const longestReply = 4 * 1024 * 1024
/** An empty part counts this many characters, so that their number is limited. */
const leastPart = 64

const finishes: Readonly<Record<string, ModelReply["finish"]>> = {
  stop: "stop",
  "tool-calls": "calls",
  length: "length",
  "content-filter": "filtered",
}

/** Servers' words for an end that cut the answer off: OpenRouter's, vLLM's, DeepSeek's. */
const cutOff = /^(error|abort(ed)?|interrupted|insufficient_system_resource)$/i

type BlockPart = Exclude<ReadPart, {type: "tool-input-delta" | "tool-call" | "finish" | "error"}>
type Block = Exclude<KeptPart, {type: "call"}>

/** Assembles a reply from the parts of its stream. */
export class ReplyReader {
  readonly #source: string
  readonly #onText: (text: string) => void
  readonly #parts: KeptPart[] = []
  readonly #open = new Map<string, Block>()
  readonly #calls: ModelCall[] = []
  #size = 0
  /** The size of incomplete arguments. They count again when the call is complete. */
  #pending = 0
  #hasBegun = false

  /** `source` is the provider and the model. */
  constructor(source: string, onText: (text: string) => void) {
    this.#source = source
    this.#onText = onText
  }

  /** Handles a part. Returns the reply if the part ends it. Throws a `ModelFailure`. */
  take(part: StreamPart): ModelReply | undefined {
    if (!isRead(part)) {
      if (part.type !== "stream-start") this.#hasBegun = true
      return undefined
    }
    if (part.type === "finish") return this.#finish(part)
    if (part.type === "error") throw this.#hasBegun ? packageFailure(part.error) : this.#failureOfFirst(part.error)
    this.#hasBegun = true
    if (part.type === "tool-call") this.#call(part)
    else if (part.type === "tool-input-delta") this.#pending += part.delta.length
    else this.#block(part)
    if (Math.max(this.#size, this.#pending) > longestReply)
      throw malformedFailure(`it has more than ${longestReply} characters`)
    return undefined
  }

  /** Returns the failure for a stream that ended without the end of a reply. */
  ended() {
    return this.#hasBegun ? cutFailure() : malformedFailure()
  }

  /** If nothing came before, a stream without an end was not a reply. */
  #failureOfFirst(error: unknown) {
    const failure = packageFailure(error)
    return failure.code === "cut" ? malformedFailure() : failure
  }

  #block(part: BlockPart): void {
    const type = part.type.startsWith("text") ? "text" : "reasoning"
    const block = this.#blockOf(type, part.id)
    if (part.providerMetadata !== undefined) block.metadata = mergeMetadata(block.metadata, part.providerMetadata)
    if (!("delta" in part)) {
      if (part.type.endsWith("-end")) this.#open.delete(`${type} ${part.id}`)
      return
    }
    block.text += part.delta
    this.#size += part.delta.length
    if (part.type === "text-delta" && part.delta !== "") this.#onText(part.delta)
  }

  #blockOf(type: Block["type"], id: string): Block {
    const key = `${type} ${id}`
    const open = this.#open.get(key)
    if (open !== undefined) return open
    const block: Block = {type, text: ""}
    this.#size += leastPart
    this.#open.set(key, block)
    this.#parts.push(block)
    return block
  }

  /** Ignores a call that the provider runs itself, because svc requested no such tool. */
  #call(part: Extract<ReadPart, {type: "tool-call"}>): void {
    if (part.providerExecuted === true) return
    const {toolCallId: id, toolName: name, input, providerMetadata: metadata} = part
    this.#size += input.length + leastPart
    this.#calls.push({id, name, input})
    this.#parts.push({type: "call", id, ...(metadata === undefined ? {} : {metadata})})
  }

  #finish({finishReason, usage, providerMetadata}: Extract<ReadPart, {type: "finish"}>): ModelReply {
    const {unified, raw = ""} = finishReason
    if (unified === "interrupted" || (unified === "error" && raw === "") || cutOff.test(raw)) throw this.ended()
    const finish = finishes[unified] ?? "other"
    const text = this.#parts.map(part => (part.type === "text" ? part.text : "")).join("")
    const isSilent = text.trim() === "" && this.#calls.length === 0
    if (unified === "error" || (finish === "other" && raw !== "" && isSilent))
      throw malformedFailure(`it ended with ${[raw, ...finishMessages(providerMetadata)].join(": ")}`)
    const details = detailsOf(this.#source, this.#parts)
    return {
      text,
      calls: this.#calls,
      // Some servers report a stop although they make calls.
      finish: finish === "stop" && this.#calls.length > 0 ? "calls" : finish,
      usage: usageOf(usage),
      ...(details === undefined ? {} : {details}),
    }
  }
}

const finishMessages = (metadata: PartMetadata = {}) =>
  Object.values(metadata).flatMap(({finishMessage}) => (typeof finishMessage === "string" ? [finishMessage] : []))

const readTypes: ReadonlySet<string> = new Set([
  "text-start",
  "text-delta",
  "text-end",
  "reasoning-start",
  "reasoning-delta",
  "reasoning-end",
  "tool-input-delta",
  "tool-call",
  "finish",
  "error",
] satisfies ReadPart["type"][])

const isRead = (part: StreamPart): part is ReadPart => readTypes.has(part.type)

/** Later metadata of a part adds to the earlier. */
const mergeMetadata = (before: KeptPart["metadata"], added: PartMetadata): NonNullable<KeptPart["metadata"]> => {
  const merged = {...before}
  for (const [provider, values] of Object.entries(added)) merged[provider] = {...merged[provider], ...values}
  return merged
}

/** Returns undefined if the provider left out a number, because half of the usage would count too little. */
const usageOf = ({inputTokens, outputTokens}: TokenUsage): ModelUsage | undefined => {
  const [input, output] = [inputTokens.total, outputTokens.total]
  return isCount(input) && isCount(output) ? {input, output} : undefined
}

const isCount = (value: number | undefined): value is number =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0
