import type {Node} from "../../../shared/sdk/content/elements.ts"
import {parseContent, textOfMessage} from "../../../shared/sdk/content/parse-content.ts"
import type {Session} from "../../../shared/sdk/session/session.ts"
import type {Texts} from "../../../shared/sdk/text/texts.ts"
import type {Work} from "../../inbox/intake/handling.ts"
import {openFiles} from "./files.ts"
import {sessionMessages} from "./messages.ts"
import {OpenWork} from "./open-work.ts"
import type {SessionOptions} from "./options.ts"
import {SessionPlugin} from "./plugin.ts"
import {readQuoted} from "./quoted.ts"
import {sayIn} from "./say-in.ts"

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

/** Opens a session: one event, as one handler receives it. */
export const openSession = (options: SessionOptions): OpenSession => {
  const {stored, attempt, plugin, permissionOf, prefixOf, languages, signal} = options
  const {endpoint, raw} = stored
  const event = plugin?.raw === true && raw !== undefined ? {...stored.event, raw} : stored.event
  const work = new OpenWork("handler", options.files, signal)
  const own = new SessionPlugin(options, work, () => session)
  // Few handlers read the elements or the files.
  const elements = lazy(() => parseContent(event.message?.content ?? ""))
  const filesOf = (elements: readonly Node[], message?: string) => openFiles(options, work, elements, message)
  const files = lazy(() => filesOf(elements(), event.message?.id))
  const log = lazy(options.log)
  const session: Session = {
    event,
    get elements() {
      return elements()
    },
    get text() {
      return textOfMessage(event)
    },
    get files() {
      return files()
    },
    user: event.user,
    channel: event.channel,
    guild: event.guild,
    quoted: async () => {
      work.requireOpen()
      return readQuoted(options, elements(), filesOf)
    },
    age: attempt.age,
    endpoint,
    get prefix() {
      return prefixOf()
    },
    get permission() {
      return permissionOf()
    },
    language: languages[0],
    t: (first: string | Texts, ...rest: readonly unknown[]) => sayIn(languages, plugin, first, rest),
    signal,
    get log() {
      return log()
    },
    ...sessionMessages(options, work),
    ...own.members,
  }
  return {
    session,
    hasGiven: id => work.hasGiven(id),
    close: () => work.end(),
    end: () => {
      work.end()
      return work.queued.isSettled ? own.work() : work.queued.idle().then(() => own.work())
    },
    abandon: () => work.queued.release(),
  }
}

/** Returns a function that calls `make` once, at its first call. */
const lazy = <T extends object>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
