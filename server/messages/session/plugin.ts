import {Problem} from "../../../shared/problems.ts"
import type {TimerHandle} from "../../../shared/sdk/session/handle.ts"
import type {Session} from "../../../shared/sdk/session/session.ts"
import type {ListedTimer} from "../../../shared/sdk/session/timer.ts"
import type {Work} from "../../inbox/intake/handling.ts"
import type {Question} from "../../inbox/intake/prompts.ts"
import {ask} from "../forms/prompt.ts"
import {nameOf} from "./handle.ts"
import type {PluginSide} from "./handler.ts"
import {addressHere} from "./messages.ts"
import type {OpenWork} from "./open-work.ts"
import type {SessionOptions} from "./options.ts"
import {SessionState} from "./state.ts"

type Members = Pick<Session, "prompt" | "form" | "setTimer" | "timers" | "clearTimer" | "state" | "database">

/** What a session does with its plugin: its questions, forms, timers, states and tables. */
export class SessionPlugin {
  readonly members: Members
  readonly #questions: Question[] = []
  readonly #afterwards: (() => void)[] = []
  readonly #work: OpenWork
  #states: SessionState | undefined

  /** `session` returns the session that it is part of. */
  constructor(options: SessionOptions, work: OpenWork, session: () => Session) {
    const {stored, plugin, endpoints, timers, formOf = () => undefined, now} = options
    const {event, endpoint} = stored
    const {channel, user} = event
    const {requireOpen} = work
    const side = (): PluginSide => {
      if (plugin === undefined) throw new Problem("database_refused", "the Host's own handlers have no tables")
      return plugin
    }
    this.#work = work
    this.members = {
      prompt: async (handle, content, data) => {
        requireOpen()
        const name = nameOf("prompt", handle)
        const prompt = plugin?.prompt(name) ?? formOf(name)?.prompt
        if (prompt === undefined) throw new Problem("prompt_unknown", `the plugin declares no prompt "${name}"`)
        const question = ask(prompt, stored, addressHere(stored, endpoints)?.channel, data, now())
        const id = await session().send(content)
        this.#questions.push(question)
        return id
      },
      form: async (form, content, data) => {
        requireOpen()
        const name = nameOf("form", form)
        const found = formOf(name)
        if (found === undefined) throw new Problem("form_unknown", `the plugin declares no form "${name}"`)
        return found.open(session(), content, data, endpoints.hasFeature(endpoint, "forms"))
      },
      setTimer: async (timer, when, data, more) => {
        requireOpen()
        const place = {endpoint, ...(channel === undefined ? {} : {channel}), ...(user === undefined ? {} : {user})}
        const setting = timers.prepare(side().name, nameOf("timer", timer), when, data, place, more)
        work.writes.push(...setting.statements)
        this.#afterwards.push(setting.stored)
        return work.give(setting.id)
      },
      timers: async <D>(timer: TimerHandle<D>, of: "user" | "channel" = "user") => {
        requireOpen()
        const id = {user, channel}[of]?.id
        if (id === undefined) throw new Problem("event_invalid", `the event has no ${of} whose timers to list`)
        const all = await timers.list(side().name, nameOf("timer", timer), {endpoint, [of]: id})
        return all as readonly ListedTimer<D>[]
      },
      clearTimer: async timer => {
        requireOpen()
        work.writes.push(timers.clearing(side().name, timer))
      },
      state: handle => {
        requireOpen()
        this.#states ??= new SessionState(side(), stored, requireOpen)
        return this.#states.value(handle)
      },
      database: work.databaseOf(side),
    }
  }

  /** Returns what the handler leaves behind. */
  work(): Work {
    const {sends, writes, queued} = this.#work
    const states = this.#states
    const left = {sends, questions: this.#questions, afterwards: this.#afterwards, release: () => queued.release()}
    if (states === undefined) return {...left, writes}
    return {...left, writes: [...writes, ...states.statements], isOutdated: () => states.isOutdated()}
  }
}
