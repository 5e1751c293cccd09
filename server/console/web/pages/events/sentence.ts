import type {Envelope} from "../../../../../shared/events/event-stream.ts"
import type {EventType} from "../../../../../shared/events/events.ts"
import {dataOf, pluginOf} from "../../host/links.ts"
import {hrefOf} from "../../state/router.svelte.ts"
import {bytes, number, time} from "../../texts/format.ts"
import {texts} from "../../texts/texts.ts"
import {wordOf} from "../../texts/word.ts"

/** A piece of a sentence; with a link if a page shows what it names. */
export interface Part {
  readonly text: string
  readonly href?: string
}

const t = texts.sentences

type Fields = Readonly<Record<string, unknown>>

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== ""

/** Returns the variant of the sentence that the event's data selects. */
const variantOf = ({type}: Envelope, fields: Fields): string | undefined => {
  const {state, trigger, reasons} = fields
  const others = Array.isArray(reasons) ? reasons.length : 0
  switch (type) {
    case "host.started":
      return fields.endedCleanly === false ? "unclean" : undefined
    case "host.blocked":
      return Array.isArray(fields.handlers) && fields.handlers.length > 0 ? "handlers" : undefined
    case "plugin.state":
      return String(state)
    case "endpoint.state":
      return fields.admission === "closed" && state !== "failed" ? "closed" : String(state)
    case "message.handled":
    case "agent.run_started":
      return Number(fields.attempt) > 1 ? "again" : undefined
    case "message.sent":
      return isSet(fields.sn) ? "answer" : undefined
    case "message.redacted":
      return isSet(fields.message) ? "message" : undefined
    case "ingress.paused":
      return others > 1 ? "more" : undefined
    case "ingress.resumed":
      return others > 0 ? "still" : undefined
    case "release.verified":
      return fields.ok === false ? "failed" : undefined
    case "job.started":
      return String(trigger)
    case "agent.run_queued":
      return isSet(fields.item) ? "item" : undefined
    case "log.error":
      return [isSet(fields.plugin) ? "plugin" : "", isSet(fields.message) ? "text" : ""].filter(Boolean).join("_")
    default:
      return undefined
  }
}

const templateOf = (event: Envelope, fields: Fields): string => {
  const variants: Readonly<Record<string, string | undefined>> = t.variants
  const byType: Readonly<Record<EventType, string> & Record<string, string | undefined>> = t.byType
  // A newer Host may send events that this page does not know.
  return variants[`${event.type}/${variantOf(event, fields)}`] ?? byType[event.type] ?? event.type
}

const named = (text: string, ...page: readonly (string | number)[]): Part => ({text, href: hrefOf(...page)})

/** Ids of the same moment start alike, so their ends distinguish them. */
const endOf = (id: string): string => (id.length > 8 ? `…${id.slice(-6)}` : id)

const handlerPart = (handler: string): Part =>
  handler.startsWith("root/") ? named(handler.slice(5), "plugins", pluginOf(handler)) : {text: handler}

const isTime = (value: string): boolean => /^\d{4}-\d{2}-\d{2}T/.test(value)

const plain = (value: unknown): string => {
  if (typeof value === "number") return number(value)
  if (Array.isArray(value)) return value.map(plain).join(", ")
  return typeof value === "string" && isTime(value) ? time(value) : wordOf(String(value))
}

const runPage = ({runId}: Envelope, {job, agent}: Fields): readonly string[] | undefined => {
  if (runId === undefined) return undefined
  if (typeof job === "string") return ["jobs", job, runId]
  return typeof agent === "string" ? ["agents", agent, runId] : undefined
}

const runPart = (event: Envelope, fields: Fields): Part => {
  const page = runPage(event, fields)
  return page === undefined ? {text: t.someRun} : named(t.run(endOf(event.runId ?? "")), ...page)
}

/** Names in braces that need more than the value of their field. */
const special: Readonly<Record<string, (event: Envelope, fields: Fields) => Part>> = {
  endpoint: ({endpoint}) => (endpoint === undefined ? {text: t.somewhere} : named(endpoint, "endpoints", endpoint)),
  event: (_, {sn}) => named(t.event(Number(sn)), "inbox", Number(sn)),
  message: (_, {message}) => named(t.message(endOf(String(message))), "outbox", String(message)),
  handler: (_, {handler}) => handlerPart(String(handler)),
  handlers: (_, {handlers}) => ({text: plain(handlers).replaceAll("root/", "")}),
  plugin: (_, {plugin}) => named(String(plugin), "plugins", String(plugin)),
  job: (_, {job}) => named(String(job), "jobs", String(job)),
  agent: (_, {agent}) => named(String(agent), "agents", String(agent)),
  item: (_, {item}) => named(t.item(Number(item)), "workroom", Number(item)),
  generation: (_, {number: generation}) => named(String(generation), "generations"),
  checkpoint: (_, {checkpoint}) => named(String(checkpoint), "operations"),
  release: (_, {release}) => named(String(release), "operations"),
  run: runPart,
  state: (_, {state}) => ({text: wordOf(String(state))}),
  size: (_, {size}) => ({text: bytes(Number(size))}),
  cause: (_, {reason}) => named(plain(reason), "operations"),
  causes: (_, {reasons}) => ({text: plain(reasons)}),
  text: (_, {message}) => ({text: plain(message)}),
  actor: (_, {actor}) => ({text: isSet(actor) ? plain(actor) : t.somebody}),
  by: (_, {by}) => ({text: isSet(by) ? plain(by) : t.somebody}),
}

/** Replaces each `{name}` in the template. */
export const fill = (template: string, partOf: (name: string) => Part): readonly Part[] =>
  template
    .split(/(\{\w+\})/)
    .filter(text => text !== "")
    .map(text => (/^\{\w+\}$/.test(text) ? partOf(text.slice(1, -1)) : {text}))

/** Returns an event as one sentence. */
export const sentenceOf = (event: Envelope): readonly Part[] => {
  const fields = dataOf(event)
  const template = templateOf(event, fields)
  const parts = fill(template, name => special[name]?.(event, fields) ?? {text: plain(fields[name])})
  const [first, ...rest] = parts
  return first === undefined ? [] : [{...first, text: capital(first, template)}, ...rest]
}

/** Capitalizes a sentence that starts with a word of ours; a name stays as it is. */
const capital = ({text}: Part, template: string): string =>
  /^\{(run|message|item|event)\}/.test(template) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text

interface Place {
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly path?: string
  readonly message?: string
}

const placeOf = ({file, line, column, path = "", message = ""}: Place): string =>
  [`${file}:${line}:${column}`, path, message].filter(text => text !== "").join(" ")

/** Returns the details that the sentence does not have: reasons, errors, places in files. */
export const detailOf = (event: Envelope): string => {
  const fields = dataOf(event)
  const isCause = event.type.startsWith("ingress.")
  const {reason, error, detail, issues, at, findings, warnings, remediation} = fields
  return [
    ...(isSet(reason) && !isCause ? [t.reason(plain(reason))] : []),
    ...[error, detail].filter(isSet).map(plain),
    ...(Array.isArray(issues) ? issues.map(issue => placeOf(issue as Place)) : []),
    ...(typeof at === "object" && at !== null ? [placeOf(at as Place)] : []),
    ...[findings, warnings].flatMap(list => (Array.isArray(list) ? list.map(plain) : [])),
    ...(isSet(remediation) ? [plain(remediation)] : []),
  ].join(" ")
}

export const textOf = (parts: readonly Part[]): string => parts.map(({text}) => text).join("")

/** Returns the text by which an event can be found: its sentence, and its data as `sn 12`. */
export const searchedOf = (event: Envelope): string => {
  const data = Object.entries(dataOf(event))
    .filter(([, value]) => isSet(value))
    .map(([key, value]) => `${key} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
  return [event.type, event.endpoint ?? "", event.id, textOf(sentenceOf(event)), data.join(", ")].join(" ")
}
