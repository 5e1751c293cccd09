import {setTimeout as sleep} from "node:timers/promises"
import {Check} from "typebox/schema"
import {toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {type Backoff, pauseAfter} from "../../../shared/sdk/adapter/backoff.ts"
import {Optional, type Static, Type} from "../../../shared/type.ts"
import {type Hide, hideIn, hideInJson} from "../../agents/providers/hiding.ts"
import {type Model, ModelFailure, type ModelReply, type ModelRequest} from "../../agents/providers/model.ts"
import {readJsonIfExists, sha256Of, writeFileAtomic} from "../../runtime/files.ts"

const schema = "svc.eval/1"

const Reply = Type.Object({
  text: Type.String(),
  calls: Type.Array(Type.Object({id: Type.String(), name: Type.String(), input: Type.String()})),
  finish: Type.Enum(["stop", "calls", "length", "filtered", "other"]),
  usage: Type.Optional(Type.Object({input: Type.Integer(), output: Type.Integer()})),
  details: Type.Optional(Type.Unknown()),
  milliseconds: Type.Integer(),
})

const Entry = Type.Object({
  model: Type.String(),
  fingerprint: Type.String(),
  /** The last message, for people. */
  asked: Type.String(),
  /** The reply of each run of the case; a further run repeats them. */
  replies: Type.Array(Reply, {minItems: 1}),
})

const File = Type.Object({
  schema: Type.Literal(schema),
  note: Optional.String({description: "Where the replies come from"}),
  requests: Type.Array(Entry),
})

type Entry = Static<typeof Entry>
type Reply = Static<typeof Reply>

export type EvalMode = "replay" | "record" | "live"

/** The replies of models to the requests of a file's cases, in one file beside it. */
export class Recording {
  readonly #path: string
  readonly #entries: Map<string, Entry>
  /** The requests of this evaluation. */
  readonly #used = new Set<string>()
  readonly #mode: EvalMode
  readonly #note: string | undefined

  private constructor(path: string, mode: EvalMode, {note, requests}: Omit<Static<typeof File>, "schema">) {
    this.#path = path
    this.#mode = mode
    this.#note = note
    this.#entries = new Map(requests.map(entry => [keyOf(entry), entry]))
  }

  /** Throws `config_invalid` for a file of another form, and if there is nothing to replay. */
  static async open(path: string, mode: EvalMode): Promise<Recording> {
    const json = await readJsonIfExists(path).catch(cause => {
      throw new Problem("config_invalid", `${path} is not JSON`, {cause, hint: again})
    })
    if (json === undefined && mode === "replay")
      throw new Problem("config_invalid", `there is no ${path}`, {hint: again})
    if (json !== undefined && !Check(File, json))
      throw new Problem("config_invalid", `${path} is no recording of this version of svc`, {hint: again})
    return new Recording(path, mode, Check(File, json) ? json : {requests: []})
  }

  /** What the file says about its replies; undefined without a replay. */
  get note(): string | undefined {
    return this.#mode === "replay" ? this.#note : undefined
  }

  /** Returns the reply in this run of a case. A recording repeats only the replies that it has made itself. */
  find(model: string, fingerprint: string, run: number): Reply | undefined {
    const key = keyOf({model, fingerprint})
    const {replies = []} = this.#entries.get(key) ?? {}
    if (this.#mode === "replay") return replies[run % Math.max(1, replies.length)]
    return this.#mode === "record" && this.#used.has(key) ? replies[run] : undefined
  }

  add(entry: Omit<Entry, "replies">, run: number, reply: Reply): void {
    if (this.#mode !== "record") return
    const key = keyOf(entry)
    const before = this.#used.has(key) ? (this.#entries.get(key)?.replies ?? []) : []
    this.#used.add(key)
    this.#entries.set(key, {...entry, replies: [...Array.from({length: run}, (_, at) => before[at] ?? reply), reply]})
  }

  /** Writes the file, without the requests of these models that no case makes any more. */
  async save(models: readonly string[]): Promise<void> {
    if (this.#mode !== "record") return
    const isKept = (entry: Entry) => this.#used.has(keyOf(entry)) || !models.includes(entry.model)
    const requests = [...this.#entries.values()].filter(isKept)
    const isNew = requests.every(entry => this.#used.has(keyOf(entry)))
    const note = this.#note === undefined || isNew ? {} : {note: this.#note}
    await writeFileAtomic(this.#path, `${toJson({schema, ...note, requests}, undefined, 2)}\n`)
  }
}

const again = "Record it with --record, which calls the provider."

const keyOf = ({model, fingerprint}: Pick<Entry, "model" | "fingerprint">): string => `${model} ${fingerprint}`

/** What a recorded model needs of its case. */
export interface RecordedCase {
  readonly recording: Recording
  readonly mode: EvalMode
  readonly run: number
  /** Replaces what differs between two evaluations. */
  readonly plain: (text: string) => string
  readonly told: (milliseconds: number) => void
  /** Hears of a request that was never recorded. */
  readonly missed: (model: string, asked: string) => void
}

/** A model that replays, records or only passes on, by the mode. */
export const recordedModel = (name: string, open: () => Promise<Model>, hide: Hide, of: RecordedCase): Model => ({
  call: async (request, options) => {
    const asked = hide(lastTextOf(request))
    const fingerprint = fingerprintOf(request, text => of.plain(hide(text)))
    const known = of.recording.find(name, fingerprint, of.run)
    if (known !== undefined) {
      const {milliseconds, usage, ...reply} = known
      of.told(milliseconds)
      options.onText?.(reply.text)
      return {...reply, usage}
    }
    if (of.mode === "replay") {
      of.missed(name, asked)
      throw new ModelFailure("refused", "this request was never recorded: record again with --record")
    }
    const model = await open()
    const began = performance.now()
    const reply = await patiently(() => model.call(request, options), options.signal)
    const milliseconds = Math.round(performance.now() - began)
    of.told(milliseconds)
    of.recording.add({model: name, fingerprint, asked: asked.slice(0, 200)}, of.run, keptOf(reply, milliseconds, hide))
    return reply
  },
})

/** The text that a request ends with. */
const lastTextOf = ({messages}: ModelRequest): string => {
  const last = messages.at(-1)
  return last === undefined ? "" : last.role === "tool" ? `${last.name}: ${last.result}` : last.text
}

/** Returns the same text for requests that say the same: ids of calls and the provider's notes do not count. */
const fingerprintOf = ({instructions, messages, tools}: ModelRequest, plain: (text: string) => string): string => {
  const said = messages.map(message => {
    if (message.role === "user") return message
    if (message.role === "tool") return {tool: message.name, result: message.result}
    return {text: message.text, calls: message.calls.map(({name, input}) => ({name, input}))}
  })
  return sha256Of(plain(toJson({instructions, said, tools}))).slice(0, 32)
}

/** As the Host stores a reply: a thought whose text would change is dropped, because its signature would not fit. */
const keptOf = ({usage, details, ...reply}: ModelReply, milliseconds: number, hide: Hide): Reply => {
  const hidden = hideIn(details, hide)
  return {
    ...reply,
    text: hide(reply.text),
    calls: reply.calls.map(call => ({...call, input: hideInJson(call.input, hide)})),
    ...(usage === undefined ? {} : {usage}),
    ...(details === undefined || toJson(hidden) !== toJson(details) ? {} : {details}),
    milliseconds,
  }
}

const pauses: Backoff = {first: 1000, longest: 30_000}
const mostTries = 5

/** The clock of an evaluation stands still, so a busy provider is asked again here. */
const patiently = async (call: () => Promise<ModelReply>, signal: AbortSignal): Promise<ModelReply> => {
  for (let tries = 1; ; tries++) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error
      if (error.kind !== "busy" || tries === mostTries) throw new ModelFailure("refused", error.message)
      const pause = Math.max(error.retryAfter ?? 0, pauseAfter(tries, pauses))
      if (pause > 2 * pauses.longest) throw new ModelFailure("refused", error.message)
      await sleep(pause, undefined, {signal})
    }
  }
}
