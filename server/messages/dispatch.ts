import {defaultFailure} from "../../shared/config/config.ts"
import {capabilityId, pluginPath} from "../../shared/ids.ts"
import type {Log} from "../../shared/log.ts"
import {textOfMessage} from "../../shared/sdk/content/parse-content.ts"
import type {SatoriEvent} from "../../shared/sdk/content/satori.ts"
import type {Reader} from "../database/database.ts"
import type {Attempt, Dispatch, InboxEvent, Outcome} from "../inbox/intake/handling.ts"
import {type Clock, type Span, systemClock} from "../runtime/flow/clock.ts"
import {isAddressed} from "./age-limits.ts"
import {AgeNotices} from "./age-notices.ts"
import {callCommand} from "./call-command.ts"
import {unknownText} from "./command/help.ts"
import type {Routed} from "./command/router.ts"
import {isActionId, isAnswerTo} from "./forms/prompt.ts"
import {runnableOf} from "./handler-kinds.ts"
import {heardBy} from "./hears.ts"
import type {LanguageChoices} from "./language/choices.ts"
import {languageCommandId} from "./language/command.ts"
import {Buckets} from "./limits/buckets.ts"
import {Turns} from "./limits/limits.ts"
import {isPressRefusal, presserOf, refusePress} from "./press-refusals.ts"
import {failureNote} from "./session/failure.ts"
import {OnceAMinute} from "./session/once-a-minute.ts"
import type {SessionOptions} from "./session/options.ts"
import {nestingOf, type Runnable, runToEnd} from "./session/run-handler.ts"
import {noTimers} from "./session/timers.ts"
import {hostHandler, type MessageTable} from "./table.ts"

/** The handler that replies to unknown commands. */
const unknownCommand = "host/unknown"

/** A handler fails after this time, in milliseconds. */
const handlerTimeout = 60_000

/** When left out, there are no timers and files for sessions, and no private hosts that have files of messages. */
export interface DispatchOptions
  extends Pick<SessionOptions, "endpoints">,
    Partial<Pick<SessionOptions, "timers" | "privateHosts" | "files">> {
  readonly current: () => MessageTable
  /** The languages that users chose; none when left out. */
  readonly choices?: LanguageChoices
  /** Resolves when no change of generation is in progress. */
  readonly idle: () => Promise<unknown>
  readonly log: Log
  /** The last time that an endpoint had no connection; unknown when left out. */
  readonly awayOf?: (endpoint: string) => Span | undefined
  /** Hides the values of secrets in the stored text of a failure. */
  readonly scrub?: (text: string) => string
  /** The time limit of a handler, in milliseconds. */
  readonly timeout?: number
  /** Keeps limits and long cooldowns over a restart; a restart ends them when left out. */
  readonly database?: Reader
  /** The clock for limits, cooldowns and for the expiry of questions. */
  readonly clock?: Clock
}

export const createDispatch = (options: DispatchOptions): Dispatch => {
  const {clock = systemClock} = options
  const buckets = new Buckets(() => clock.now(), options.database)
  const once = new OnceAMinute(() => clock.elapsed())
  const ageNotices = new AgeNotices()
  return {
    match: (event, asked, endpoint = "") => match(tableOf(options.current(), event, endpoint), event, endpoint, asked),
    nest: handlers => nestingOf(options.current().middleware, handlers),
    orderOf: handler => options.current().orderOf(handler),
    keepsRaw: handlers => handlers.some(handler => options.current().keepsRaw(handler)),
    loginOf: name => options.endpoints.loginOf?.(name) ?? {platform: name},
    ages: {
      limitOf: (endpoint, handler) => options.current().ageLimitOf(endpoint, handler),
      noticeOf: async (stored, handler) => {
        const {tellsAge, texts} = options.current()
        if (!tellsAge || !isAddressed(handler)) return undefined
        const say = texts.in((await languagesOf(options, stored))[0])
        return ageNotices.noticeFor(stored, {now: clock.now(), away: options.awayOf?.(stored.endpoint), say})
      },
    },
    run: (stored, handler, attempt) => run({...options, clock, buckets, once}, stored, handler, attempt),
  }
}

/** Returns the table with the commands that exist for an event. */
const tableOf = (table: MessageTable, event: SatoriEvent, endpoint: string): MessageTable => {
  const router = table.routerOf(event, endpoint)
  return router === table.router ? table : {...table, router}
}

const match = (table: MessageTable, event: SatoriEvent, endpoint: string, asked?: string): readonly string[] => {
  const handlers = [
    ...table.middleware.keys(),
    ...(table.byType.get(event.type)?.of(event, endpoint) ?? []).map(({id}) => id),
  ]
  const wanting = (isTaken: boolean) => wantingHandlers(table, event, endpoint, isTaken)
  // If the action no longer exists, its mark fails by name and can be retried once the action exists again.
  if (asked !== undefined && (isActionId(asked) || isPressRefusal(asked)))
    return [presserOf(table, endpoint, event, asked), ...handlers, ...wanting(true)]
  if (event.type !== "message-created") return [...handlers, ...wanting(false)]
  const routed = routeEvent(table, event)
  if (isAnswer(table, event, routed, asked)) return [asked, ...handlers, ...wanting(true)]
  const wants = wanting(routed.is === "command")
  // The Host replies to a mistyped command, unless another handler wants the message.
  const own = routed.is === "unknown" && wants.length > 0 ? undefined : handlerOf(table, routed)
  return own === undefined
    ? [...handlers, ...wants, ...heardBy(table.hearing, event, endpoint)]
    : [own, ...handlers, ...wants]
}

/** Returns the handlers that choose among the events of their type, and want this one. */
const wantingHandlers = (
  {choosing, router}: MessageTable,
  event: SatoriEvent,
  endpoint: string,
  isTaken: boolean,
): readonly string[] => {
  const handlers = choosing.get(event.type)
  if (handlers === undefined) return []
  const called = router.called(textOfMessage(event), event)
  const reception = {endpoint, isTaken: isTaken || called?.by === "prefix", isAddressed: called?.by === "name"}
  return handlers.filter(({wants}) => wants(event, reception)).map(({id}) => id)
}

const isAnswer = (
  {prompts, router, texts}: MessageTable,
  event: SatoriEvent,
  routed: Routed,
  asked = "",
): asked is string => {
  const continuation = prompts.get(asked)
  if (continuation === undefined || event.user?.is_bot === true) return false
  const text = textOfMessage(event)
  return isAnswerTo(continuation.prompt, {router, text, event, texts, isCommand: routed.is === "command"})
}

const routeEvent = ({router}: MessageTable, event: SatoriEvent): Routed =>
  event.user?.is_bot === true ? {is: "none"} : router.route(textOfMessage(event), event)

const handlerOf = ({router}: MessageTable, routed: Routed): string | undefined => {
  if (routed.is === "command") return routed.command.id
  return routed.is === "unknown" && unknownText(router, routed) !== undefined ? unknownCommand : undefined
}

type RunOptions = DispatchOptions & {
  readonly clock: Clock
  readonly buckets: Buckets
  /** Says the same to a user once a minute. */
  readonly once: OnceAMinute
}

const run = async (options: RunOptions, stored: InboxEvent, id: string, attempt: Attempt): Promise<Outcome> => {
  const {current, idle, endpoints, timers = noTimers, privateHosts = () => [], files} = options
  const {timeout = handlerTimeout, scrub = text => text, once} = options
  let handler = find(options, stored, id, attempt)
  if (handler?.signal.aborted) {
    // Its instance has failed, and a new one is about to replace it.
    await idle()
    handler = find(options, stored, id, attempt)
  }
  if (handler === undefined) return {is: "failed", error: "the running generation has no such handler"}
  const now = () => options.clock.now()
  const permissionOf = () => current().permissionOf(stored.endpoint, stored.event)
  const prefixOf = () => current().router.manner(textOfMessage(stored.event), stored.event)
  const found = languagesOf(options, stored)
  const languages = found instanceof Promise ? await found : found
  const [language] = languages
  const plugin = handler.plugin?.name
  const formOf = (name: string) =>
    plugin === undefined ? undefined : current().forms.get(capabilityId(pluginPath(plugin), "prompt", name))
  const asked = {formOf, endpoints, timers, privateHosts, files, permissionOf, prefixOf, languages, now}
  const outcome = await runToEnd(handler, stored, attempt, timeout, asked)
  if (outcome.is !== "failed") return outcome
  const failed = {...outcome, error: scrub(outcome.error)}
  const {failureText = "", runners, texts} = current()
  if (failureText === "") return failed
  // In the format of `messages.failure`.
  const text = () => (failureText === defaultFailure ? texts.in(language)("failure", {event: "{event}"}) : failureText)
  const isAsked = runners.has(id) || isActionId(id)
  return {...failed, note: () => failureNote(once, stored, text(), isAsked)}
}

/** Returns the language of an event and the project's default. */
const languagesOf = (options: Pick<DispatchOptions, "current" | "choices">, stored: InboxEvent) => {
  const {known, of} = options.current().languages
  const languagesFor = (choice?: string) => {
    const language = of(stored.endpoint, stored.event, choice)
    return [language, known[0] ?? language] as const
  }
  const chosen = known.length === 1 ? undefined : choiceOf(options, stored)
  return chosen instanceof Promise ? chosen.then(languagesFor) : languagesFor(chosen)
}

const choiceOf = ({choices}: Pick<DispatchOptions, "choices">, {endpoint, event: {user}}: InboxEvent) =>
  user === undefined ? undefined : choices?.of(endpoint, user.id)

const find = (options: RunOptions, stored: InboxEvent, id: string, attempt: Attempt): Runnable | undefined => {
  const all = options.current()
  const own = tableOf(all, stored.event, stored.endpoint)
  const found = findIn(own, options, stored, id, attempt)
  // A filter that has changed since the event arrived does not matter.
  return found === undefined && own !== all ? findIn(all, options, stored, id, attempt) : found
}

const findIn = (
  table: MessageTable,
  options: RunOptions,
  stored: InboxEvent,
  id: string,
  attempt: Attempt,
): Runnable | undefined => {
  const {log, buckets, once, choices} = options
  const turns = new Turns(buckets, stored, attempt)
  const found = runnableOf(table, id, {stored, turns, table, now: () => options.clock.now()})
  if (found !== undefined) return found
  if (isPressRefusal(id))
    return {...hostHandler(id, log), handle: ({language}) => refusePress(once, id, stored, table.texts.in(language))}
  const routed = routeEvent(table, stored.event)
  const prefix = () => table.router.manner(textOfMessage(stored.event), stored.event)
  const limited = (handler: Runnable) => turns.limited(handler, table.commandLimitsOf(stored), table.texts, log)
  if (id === unknownCommand) {
    return limited({
      ...hostHandler(id, log),
      handle: ({permission, language}) => {
        if (routed.is !== "unknown") return undefined
        const say = table.texts.in(language)
        return unknownText(table.router, routed, {prefix: prefix(), permission, say, language})
      },
    })
  }
  const runner = table.runners.get(id)
  if (runner === undefined || routed.is !== "command" || routed.command.id !== id) return undefined
  const {command, rest} = routed
  return limited({
    ...runner,
    ...(id === languageCommandId ? choosing(choices, stored) : {}),
    handle: session => {
      const say = table.texts.in(session.language)
      return callCommand({router: table.router, command, rest, prefix, session, turns, say})
    },
  })
}

/** The Host's own `language` command stores a choice. */
const choosing = (choices: LanguageChoices | undefined, {endpoint, event: {user}}: InboxEvent) =>
  choices === undefined || user === undefined
    ? {}
    : {plugin: choices.side, stored: () => choices.changed(endpoint, user.id)}
