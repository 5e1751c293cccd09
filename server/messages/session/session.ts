import type {Position} from "../../../shared/api/plugin-views.ts"
import type {Log} from "../../../shared/log.ts"
import {Problem} from "../../../shared/problems.ts"
import {type Content, h, type Node} from "../../../shared/sdk/content/elements.ts"
import {parseContent, textOfMessage} from "../../../shared/sdk/content/parse-content.ts"
import type {Statement} from "../../../shared/sdk/session/database.ts"
import type {Permission} from "../../../shared/sdk/session/permission.ts"
import type {Expiry, Session, SessionDatabase, Target} from "../../../shared/sdk/session/session.ts"
import {readStatements} from "../../../shared/sdk/session/values.ts"
import type {Texts, TextValues} from "../../../shared/sdk/text/texts.ts"
import type {DeclaredState} from "../../database/state/plugin-state.ts"
import {type Attempt, conversationOf, type InboxEvent, type Work} from "../../inbox/intake/handling.ts"
import type {Question} from "../../inbox/intake/prompts.ts"
import {withExpiry} from "../../outbox/age.ts"
import {addressOf, contentOf, emojiOf, messageDraft, type OutboxDraft} from "../../outbox/draft.ts"
import type {DraftFiles} from "../../outbox/files/draft-files.ts"
import {QueuedFiles} from "../../outbox/files/queued-files.ts"
import {uuid} from "../../runtime/uuid.ts"
import type {Form} from "../forms/form.ts"
import {ask, type Prompt} from "../forms/prompt.ts"
import {type Acts, actsOf, type EndpointActs} from "./acts.ts"
import {openFiles, type SessionFiles} from "./files.ts"
import {sayIn} from "./say-in.ts"
import {SessionState} from "./state.ts"
import type {SessionTimers} from "./timers.ts"

/** What a session may use of the handler's plugin. */
export interface PluginSide {
  readonly name: string
  readonly database: Pick<SessionDatabase, "table" | "read">
  prompt(name: string): Prompt | undefined
  /** Returns where in the plugin's files an error was thrown. */
  positionOf?(error: unknown): Position | undefined
  state?(scope: string, name: string): DeclaredState | undefined
  /** Returns a declared text in the first of the languages that has it. Throws `text_unknown`, `text_invalid`. */
  say?(languages: readonly string[], key: string, values: TextValues): string
}

export interface OpenSession {
  readonly session: Session
  /** Returns whether a session method resolved to this id. Such an id is not a reply. */
  hasGiven(id: string): boolean
  /** Ends the session. Returns what it queued, once its files are stored. Later calls throw `late`. */
  end(): Work | Promise<Work>
  /** Ends the session without storing anything, and cancels the files that it reads. */
  close(): void
  /** Call it if nothing of the session is stored: its files may be deleted. */
  abandon(): void
}

export interface SessionOptions {
  readonly stored: InboxEvent
  readonly attempt: Attempt
  readonly plugin: PluginSide | undefined
  readonly endpoints: EndpointActs
  readonly timers: SessionTimers
  /** Stores the files that it sends; without it there are none. */
  readonly files?: DraftFiles | undefined
  readonly permissionOf: () => Permission
  /** Hosts on private networks from which files may be read. */
  readonly privateHosts: () => readonly string[]
  /** Returns a form of the handler's plugin; there are none when left out. */
  readonly formOf?: (name: string) => Form | undefined
  /** The language of the event and its fallbacks. The project's default comes last. */
  readonly languages: readonly [string, ...string[]]
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Creates the log at first use. */
  readonly log: () => Log
  /** Aborted when the handler times out. */
  readonly signal: AbortSignal
}

/** Opens a session: one event, as one handler receives it. */
export const openSession = (options: SessionOptions): OpenSession => {
  const {stored, attempt, plugin, endpoints, timers, permissionOf, privateHosts, languages, now, log, signal} = options
  const {formOf = () => undefined} = options
  const {event, endpoint} = stored
  const sends: OutboxDraft[] = []
  const queued = new QueuedFiles(options.files, sends, signal)
  const writes: Statement[] = []
  const questions: Question[] = []
  let states: SessionState | undefined
  const afterwards: (() => void)[] = []
  /** The ids of early messages and of timers, which are not in `sends`. */
  const otherIds: string[] = []
  const give = (id: string): string => {
    otherIds.push(id)
    return id
  }
  let early = 0
  let ended = false
  let elements: readonly Node[] | undefined
  let ownLog: Log | undefined
  const requireOpen = () => {
    if (ended || signal.aborted) throw late()
  }
  // Few messages have files, and few handlers read them.
  let files: SessionFiles | undefined
  const close = () => {
    ended = true
    files?.close()
  }
  const inherited = () => (attempt.maxAge === undefined ? undefined : now() + attempt.maxAge)
  const queue = async (draft: OutboxDraft, expiry?: Expiry): Promise<string> => {
    requireOpen()
    return queued.queue(withExpiry(draft, expiry, inherited()))
  }
  // Created at first use, because few handlers act.
  let acts: Acts | undefined
  const act = (): Acts => {
    requireOpen()
    acts ??= actsOf({
      stored,
      endpoints,
      find: async id => sends.find(draft => draft.id === id) ?? (await attempt.sent(id)),
      queue,
    })
    return acts
  }
  const messageOf = (content: Content, to?: Target): OutboxDraft => {
    const address = to === undefined ? conversationOf(stored) : addressOf(to)
    if (address === undefined)
      throw new Problem("target_invalid", "this event belongs to no conversation, so the message needs a target")
    if (to !== undefined) endpoints.requireTarget(address)
    return messageDraft(address, content, event.user !== undefined || address.user !== undefined)
  }
  const send = async (content: Content, to?: Target, expiry?: Expiry) => queue(messageOf(content, to), expiry)
  const session: Session = {
    event,
    get elements() {
      elements ??= parseContent(event.message?.content ?? "")
      return elements
    },
    get text() {
      return textOfMessage(event)
    },
    get files() {
      const {elements} = session
      files ??= openFiles({stored, elements, endpoints, privateHosts, signal, requireOpen, late})
      return files.list
    },
    user: event.user,
    channel: event.channel,
    age: attempt.age,
    endpoint,
    get permission() {
      return permissionOf()
    },
    language: languages[0],
    t: (first: string | Texts, ...rest: readonly unknown[]) => sayIn(languages, plugin, first, rest),
    signal,
    get log() {
      ownLog ??= log()
      return ownLog
    },
    send,
    reply: async (content, expiry) => {
      const quoted = event.message?.id
      const whole = quoted === undefined ? content : [h("quote", {id: quoted}), ...contentOf(content)]
      return send(whole, undefined, expiry)
    },
    react: async (emoji, expiry) => {
      const message = event.message?.id
      const channel = event.channel?.id
      if (message === undefined || channel === undefined) {
        throw new Problem("event_invalid", "there is no message to react to")
      }
      endpoints.requireFeature(endpoint, "react")
      const content = {message, emoji: emojiOf(emoji)}
      return queue({id: uuid(), kind: "reaction", endpoint, channel, content}, expiry)
    },
    edit: async (...args) => act().edit(...args),
    delete: async (...args) => act().delete(...args),
    unreact: async (...args) => act().unreact(...args),
    call: async (...args) => act().call(...args),
    typing: () => {
      requireOpen()
      const channel = event.channel?.id
      if (channel !== undefined) endpoints.typing(endpoint, channel)
    },
    sendNow: async (content, to, expiry) => {
      requireOpen()
      const ordinal = early++
      return give(
        await attempt.sendNow(await queued.store(withExpiry(messageOf(content, to), expiry, inherited())), ordinal),
      )
    },
    prompt: async (name, content, data) => {
      requireOpen()
      const prompt = plugin?.prompt(name) ?? formOf(name)?.prompt
      if (prompt === undefined) throw new Problem("prompt_unknown", `the plugin declares no prompt "${name}"`)
      const question = ask(prompt, stored, data, now())
      const id = await send(content)
      questions.push(question)
      return id
    },
    form: async (form, content, data) => {
      requireOpen()
      const name = typeof form === "string" ? form : form.name
      const found = formOf(name)
      if (found === undefined) throw new Problem("form_unknown", `the plugin declares no form "${name}"`)
      return found.open(session, content, data, endpoints.hasFeature(endpoint, "forms"))
    },
    timer: async (timer, when, data, more) => {
      requireOpen()
      const {name} = pluginSide()
      const place = {
        endpoint,
        ...(event.channel === undefined ? {} : {channel: event.channel}),
        ...(event.user === undefined ? {} : {user: event.user}),
      }
      const setting = timers.prepare(name, typeof timer === "string" ? timer : timer.name, when, data, place, more)
      writes.push(...setting.statements)
      afterwards.push(setting.stored)
      return give(setting.id)
    },
    clearTimer: async key => {
      requireOpen()
      writes.push(timers.clearing(pluginSide().name, key))
    },
    state: handle => {
      requireOpen()
      const {name, database, state = () => undefined} = pluginSide()
      states ??= new SessionState({plugin: name, database, event, endpoint, find: state, requireOpen})
      return states.value(handle)
    },
    database: {
      table: name => pluginSide().database.table(name),
      read: async (sql, args, row) => {
        requireOpen()
        return pluginSide().database.read(sql, args, row)
      },
      write: async statements => {
        requireOpen()
        pluginSide()
        writes.push(...readStatements(statements))
      },
    },
  }
  const pluginSide = (): PluginSide => {
    if (plugin === undefined) throw new Problem("database_refused", "the Host's own handlers have no tables")
    return plugin
  }
  const work = (): Work => {
    const release = () => queued.release()
    if (states === undefined) return {sends, writes, questions, afterwards, release}
    const isOutdated = () => states?.isOutdated() ?? Promise.resolve(false)
    return {sends, writes: [...writes, ...states.statements], questions, afterwards, isOutdated, release}
  }
  return {
    session,
    hasGiven: id => otherIds.includes(id) || sends.some(draft => draft.id === id),
    close,
    end: () => {
      close()
      return queued.isSettled ? work() : queued.settled().then(work)
    },
    abandon: () => queued.release(),
  }
}

const late = () => new Problem("late", "this handler has already ended")
