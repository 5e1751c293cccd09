import {defaultFailure} from "../../shared/config.ts"
import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import type {SatoriEvent} from "../../shared/sdk/satori.ts"
import type {Reply, Session} from "../../shared/sdk/session.ts"
import {isUserError} from "../../shared/sdk/user-error.ts"
import type {Attempt, Dispatch, InboxEvent, Outcome} from "../inbox/handling.ts"
import type {DraftFiles} from "../outbox/files/draft-files.ts"
import {type Clock, systemClock} from "../runtime/flow/clock.ts"
import {type Hold, TimeLimitExceeded, withTimeLimit} from "../runtime/flow/time-limit.ts"
import {isActionId, press} from "./action.ts"
import type {EndpointActs} from "./acts.ts"
import {callCommand} from "./call.ts"
import type {Command} from "./command.ts"
import {Cooldowns} from "./cooldowns.ts"
import {FailureNotes, replyTo} from "./failure.ts"
import type {ActionRunner, Continuation, EventHandler, Handler, TimerRunner} from "./handler.ts"
import {helpCommand, unknownText} from "./help.ts"
import type {LanguageChoices} from "./language/choices.ts"
import {languageCommand, languageCommandId} from "./language/command.ts"
import {type Languages, oneLanguage} from "./language/languages.ts"
import {type MiddlewareHandler, orderOf, surround} from "./middleware.ts"
import type {PermissionOf} from "./permissions.ts"
import {isPressRefusal, PressRefusals} from "./press-refusals.ts"
import {answer, isAnswerTo} from "./prompt.ts"
import {type Routed, Router} from "./router.ts"
import {openSession, type SessionOptions, textOfEvent} from "./session.ts"
import {HostTexts} from "./texts/host-texts.ts"
import {noTimers, runTimer, type SessionTimers} from "./timers.ts"

/** What the running generation does with messages. */
export interface MessageTable {
  readonly router: Router
  /** The handlers of each Satori event type, in the order of their declaration. */
  readonly byType: ReadonlyMap<string, readonly EventHandler[]>
  readonly byId: ReadonlyMap<string, EventHandler>
  readonly prompts: ReadonlyMap<string, Continuation>
  /** By the id of their handlers. */
  readonly actions: ReadonlyMap<string, ActionRunner>
  /** In the order in which they are around each other, the outermost first. */
  readonly middleware: ReadonlyMap<string, MiddlewareHandler>
  /** By the id of their handlers. */
  readonly timers: ReadonlyMap<string, TimerRunner>
  /** Who runs a command, by the command's id. */
  readonly runners: ReadonlyMap<string, Handler>
  readonly permissionOf: PermissionOf
  readonly languages: Languages
  /** What svc itself says. */
  readonly texts: HostTexts
  /** What a user is told where the bot failed; nothing when left out. */
  readonly failureText?: string
}

/** The handler that answers a command that does not exist. */
const unknownCommand = "host/unknown"

/** A handler that takes longer, in milliseconds, has failed. */
const handlerTimeout = 60_000

export interface DispatchOptions {
  readonly current: () => MessageTable
  /** What sessions ask of the endpoints. */
  readonly endpoints: EndpointActs
  /** What users have chosen; nobody has when left out. */
  readonly choices?: LanguageChoices
  /** How sessions set timers; there are none when left out. */
  readonly timers?: SessionTimers
  /** Hosts of private networks that files of messages may be read from; none when left out. */
  readonly privateHosts?: () => readonly string[]
  /** Stores the files of what sessions send; without them there are none. */
  readonly files?: DraftFiles
  /** Resolves when no change of what runs is under way. */
  readonly settled: () => Promise<unknown>
  readonly log: Log
  /** Hides the values of secrets in what is stored of a failure. */
  readonly scrub?: (text: string) => string
  /** In milliseconds. */
  readonly timeout?: number
  /** Of cooldowns, and of the ends of questions. */
  readonly clock?: Clock
}

export const createDispatch = (options: DispatchOptions): Dispatch => {
  const {clock = systemClock} = options
  const elapsed = () => clock.elapsed()
  const cooldowns = new Cooldowns(elapsed)
  const notes = new FailureNotes(elapsed)
  const presses = new PressRefusals(elapsed)
  return {
    match: (event, asked) => match(options.current(), event, asked),
    order: handlers => orderOf(options.current().middleware, handlers),
    run: (stored, handler, attempt) => run({...options, clock, cooldowns, notes, presses}, stored, handler, attempt),
  }
}

const match = (table: MessageTable, event: SatoriEvent, asked?: string): readonly string[] => {
  const handlers = [...table.middleware.keys(), ...(table.byType.get(event.type) ?? []).map(handler => handler.id)]
  // One whose action is gone fails, by name, and can be retried once it is there again.
  if (asked !== undefined && (isActionId(asked) || isPressRefusal(asked))) return [asked, ...handlers]
  if (event.type !== "message-created") return handlers
  const routed = routeEvent(table, event)
  const own = isAnswer(table, event, routed, asked) ? asked : handlerOf(table, routed)
  return own === undefined ? handlers : [own, ...handlers]
}

const isAnswer = (
  {prompts, router, texts}: MessageTable,
  event: SatoriEvent,
  routed: Routed,
  asked = "",
): asked is string => {
  const continuation = prompts.get(asked)
  if (continuation === undefined || event.user?.is_bot === true) return false
  const text = textOfEvent(event.message?.content).trim()
  return isAnswerTo(continuation.prompt, {router, text, event, texts, isCommand: routed.is === "command"})
}

const routeEvent = ({router}: MessageTable, event: SatoriEvent): Routed =>
  event.user?.is_bot === true ? {is: "none"} : router.route(textOfEvent(event.message?.content).trim(), event)

const handlerOf = ({router}: MessageTable, routed: Routed): string | undefined => {
  switch (routed.is) {
    case "command":
      return routed.command.id
    case "unknown":
      return unknownText(router, routed) === undefined ? undefined : unknownCommand
    case "none":
      return undefined
  }
}

type RunOptions = DispatchOptions & {
  readonly clock: Clock
  readonly cooldowns: Cooldowns
  readonly notes: FailureNotes
  readonly presses: PressRefusals
}

const run = async (options: RunOptions, stored: InboxEvent, id: string, attempt: Attempt): Promise<Outcome> => {
  const {current, settled, endpoints, timers = noTimers, privateHosts = () => [], files} = options
  const {timeout = handlerTimeout, scrub = asItIs, notes} = options
  let handler = find(options, stored, id)
  if (handler?.signal.aborted) {
    // Its instance has failed; a new one is about to take its place.
    await settled()
    handler = find(options, stored, id)
  }
  if (handler === undefined) return {is: "failed", error: "the running generation has no such handler"}
  const now = () => options.clock.now()
  const permissionOf = () => current().permissionOf(stored.endpoint, stored.event)
  const {known, of} = current().languages
  const chosen = known.length === 1 ? undefined : choiceOf(options, stored)
  const language = of(stored.endpoint, stored.event, chosen instanceof Promise ? await chosen : chosen)
  const languages = [language, known[0] ?? language] as const
  const asked = {endpoints, timers, privateHosts, files, permissionOf, languages, now}
  const outcome = await runToEnd(handler, stored, attempt, timeout, asked)
  if (outcome.is !== "failed") return outcome
  const failed = {...outcome, error: scrub(outcome.error)}
  const {failureText = "", runners, texts} = current()
  if (failureText === "") return failed
  const text = () => (failureText === defaultFailure ? failureIn(texts, language) : failureText)
  const isAsked = runners.has(id) || isActionId(id)
  return {...failed, note: () => notes.noteFor(stored, text(), isAsked)}
}

const choiceOf = ({choices}: RunOptions, {endpoint, event: {user}}: InboxEvent) =>
  user === undefined ? undefined : choices?.of(endpoint, user.id)

/** As `messages.failure` has it. */
const failureIn = (texts: HostTexts, language: string): string => texts.in(language)("failure", {event: "{event}"})

const asItIs = (text: string): string => text

const runToEnd = async (
  handler: Runnable,
  stored: InboxEvent,
  attempt: Attempt,
  timeout: number,
  asked: Pick<SessionOptions, "endpoints" | "timers" | "privateHosts" | "files" | "permissionOf" | "languages" | "now">,
): Promise<Outcome> => {
  const {plugin} = handler
  const about = {endpoint: stored.endpoint, event: stored.event.sn}
  const log = () => handler.log.with(about)
  const again = handler.retries === undefined || handler.retries === 0 ? {} : {retries: handler.retries}
  const work = async (signal: AbortSignal, hold: Hold): Promise<Outcome> => {
    const {session, end, close, abandon} = openSession({stored, attempt, plugin, ...asked, log, signal})
    try {
      const reply = await handler.run(() => handler.handle(session, attempt, hold), about)
      if (reply !== undefined && reply !== "") await session.send(reply)
      const left = await end()
      // Who comes too late leaves nothing behind.
      signal.throwIfAborted()
      return {
        is: "handled",
        ...again,
        ...left,
        ...(handler.stored === undefined ? {} : {afterwards: [...(left.afterwards ?? []), handler.stored]}),
        ...(handler.stops?.() === true ? {stops: true} : {}),
      }
    } catch (error) {
      abandon()
      throw error
    } finally {
      close()
    }
  }
  try {
    return await withTimeLimit(timeout, work, handler.signal)
  } catch (error) {
    if (handler.signal.aborted) return {is: "interrupted", ...again}
    const answer = isUserError(error) ? replyTo(stored, error.message) : undefined
    if (answer !== undefined) return {is: "handled", sends: [answer]}
    log().error(`${handler.id} failed: ${messageOf(error)}`, {error})
    // What has not ended in time may still run: it is not run again beside itself.
    return {is: "failed", error: messageOf(error), ...(error instanceof TimeLimitExceeded ? {} : again)}
  }
}

type Runnable = Handler & {
  readonly handle: (session: Session, attempt: Attempt, hold: Hold) => Reply
  /** Of a middleware that has ended: does the event stop there? */
  readonly stops?: () => boolean
  /** Called once what it leaves behind is stored. */
  readonly stored?: () => void
}

const find = (options: RunOptions, stored: InboxEvent, id: string): Runnable | undefined => {
  const {current, log, cooldowns, presses, choices} = options
  const table = current()
  const plain = table.byId.get(id)
  if (plain !== undefined) return plain
  const middleware = table.middleware.get(id)
  if (middleware !== undefined) return {...middleware, ...surround(middleware)}
  const continuation = table.prompts.get(id)
  if (continuation !== undefined) {
    return {
      ...continuation,
      handle: async (session, attempt) => answer(continuation.prompt, await attempt.question(), session, table),
    }
  }
  const action = table.actions.get(id)
  if (action !== undefined) {
    return {...action, handle: async (session, attempt) => press(action.action, await attempt.question(), session)}
  }
  if (isPressRefusal(id))
    return {...hostHandler(id, log), handle: ({language}) => presses.sentenceFor(id, stored, table.texts.in(language))}
  const timer = table.timers.get(id)
  if (timer !== undefined) return {...timer, handle: session => runTimer(timer.timer, stored, session)}
  const routed = routeEvent(table, stored.event)
  const prefix = () => table.router.manner(textOfEvent(stored.event.message?.content).trim(), stored.event)
  if (id === unknownCommand) {
    return {
      ...hostHandler(id, log),
      handle: ({permission, language}) => {
        if (routed.is !== "unknown") return undefined
        const say = table.texts.in(language)
        return unknownText(table.router, routed, {prefix: prefix(), permission, say, language})
      },
    }
  }
  const runner = table.runners.get(id)
  if (runner === undefined || routed.is !== "command" || routed.command.id !== id) return undefined
  const {command, rest} = routed
  return {
    ...runner,
    ...(id === languageCommandId ? choosing(choices, stored) : {}),
    handle: session => {
      const say = table.texts.in(session.language)
      return callCommand({router: table.router, command, rest, prefix, session, cooldowns, say})
    },
  }
}

/** The Host's own `language` stores a choice. */
const choosing = (choices: LanguageChoices | undefined, {endpoint, event: {user}}: InboxEvent) =>
  choices === undefined || user === undefined
    ? {}
    : {plugin: choices.side, stored: () => choices.changed(endpoint, user.id)}

/** The Host's own handlers are never disposed. */
const hostHandler = (id: string, log: Log): Handler => ({
  id,
  log,
  signal: new AbortController().signal,
  run: async work => work(),
})

export interface TableParts {
  readonly prefixes: readonly string[]
  readonly commands: readonly {readonly command: Command; readonly runner: Handler}[]
  readonly handlers: readonly EventHandler[]
  readonly permissionOf: PermissionOf
  /** English alone when left out. */
  readonly languages?: Languages
  readonly texts?: HostTexts
  readonly failureText?: string
  readonly prompts?: readonly Continuation[]
  readonly actions?: readonly ActionRunner[]
  readonly middleware?: readonly MiddlewareHandler[]
  readonly timers?: readonly TimerRunner[]
  readonly log: Log
}

/** Everything that answers messages in one generation. */
export const createMessageTable = ({
  prefixes,
  commands,
  handlers,
  prompts = [],
  actions = [],
  middleware = [],
  timers = [],
  permissionOf,
  languages = oneLanguage("en"),
  texts = new HostTexts(),
  failureText = "",
  log,
}: TableParts): MessageTable => {
  const declared = commands.map(({command}) => command)
  const own = [
    helpCommand(() => router, texts),
    ...(offersChoice(languages, declared) ? [languageCommand(() => router, languages, texts)] : []),
  ]
  const router: Router = new Router([...own, ...declared], prefixes)
  const byType = new Map<string, EventHandler[]>()
  for (const handler of handlers) byType.set(handler.type, [...(byType.get(handler.type) ?? []), handler])
  return {
    router,
    byType,
    byId: new Map(handlers.map(handler => [handler.id, handler])),
    prompts: new Map(prompts.map(continuation => [continuation.id, continuation])),
    actions: new Map(actions.map(each => [each.id, each])),
    middleware: new Map(middleware.map(each => [each.id, each])),
    timers: new Map(timers.map(each => [each.id, each])),
    runners: new Map([
      ...own.map(({id}) => [id, hostHandler(id, log)] as const),
      ...commands.map(({command, runner}) => [command.id, runner] as const),
    ]),
    permissionOf,
    languages,
    texts,
    failureText,
  }
}

/** May users choose? Not where there is one language, nor where a plugin has a command of that name. */
const offersChoice = ({known}: Languages, commands: readonly Command[]): boolean =>
  known.length > 1 && !commands.some(({path, aliases}) => [path, ...aliases].some(([word]) => word === "language"))
