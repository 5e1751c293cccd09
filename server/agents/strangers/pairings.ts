import type {Binding} from "../../../shared/agents/binding.ts"
import type {PairingView} from "../../../shared/api/users/pairings.ts"
import type {Log} from "../../../shared/log.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Permission} from "../../../shared/sdk/session/permission.ts"
import type {TimerPlace} from "../../../shared/sdk/session/timer.ts"
import {Type} from "../../../shared/type.ts"
import {assertThat, type Database, type Row} from "../../database/database.ts"
import {persist} from "../../database/persist.ts"
import {telling} from "../../events/telling.ts"
import {actionHandle} from "../../generation/kinds/action-handle.ts"
import type {Say} from "../../messages/texts/host-texts.ts"
import {messageDraft, type OutboxDraft} from "../../outbox/draft.ts"
import type {Outbox} from "../../outbox/outbox.ts"
import type {Clock} from "../../runtime/flow/clock.ts"
import {Turns} from "../../runtime/flow/turns.ts"
import {storing} from "../runs/write.ts"
import {isCode, newCode, readCode} from "./code.ts"
import type {Members, Sender} from "./members.ts"

/** How long a code is open, and the least pause between two answers with it, in milliseconds. */
const validity = 7 * 86_400_000
const pause = 8 * 3_600_000

/** The most open codes of an endpoint: a later stranger gets none, so that nobody displaces an earlier one. */
const mostOpen = 100

/** The permission to approve a user in chat. */
export const admitPermission: Permission = "admin"

const AdmitData = Type.Object({code: Type.String()}, {additionalProperties: false})

/** The action that approves a user. Its button works while the code is open. */
export const admitAction = {
  name: "admit",
  id: "root/agents/action/admit",
  definition: {data: AdmitData, expires: validity / 1000},
} as const

export interface PairingsOptions {
  readonly database: Database
  readonly log: Log
  readonly clock: Pick<Clock, "now">
  readonly outbox: Pick<Outbox, "stored">
  readonly members: Pick<Members, "personOf" | "idOf">
  /** Returns svc's texts in the language of a conversation. */
  readonly sayIn: (place: TimerPlace) => Promise<Say>
}

/** What a stranger hears: a code, nothing because the stranger has heard it, or that no more codes are given. */
export type Pairing = {readonly is: "code"; readonly code: string} | {readonly is: "told"} | {readonly is: "full"}

const columns = "endpoint, person, user, seen, code, agent, channel, asked_sn, told_at, expires_at"

/** The codes with which operators make strangers members. Who may approve may also see the codes. */
export class Pairings {
  readonly #options: PairingsOptions
  /** One change at a time: the number of open codes is counted before one is stored. */
  readonly #turns = new Turns()
  readonly #button = actionHandle(admitAction.name, admitAction.id, admitAction.definition)

  constructor(options: PairingsOptions) {
    this.#options = options
  }

  /** Gives the sender of a direct message a code, and asks in the binding's `approval.to`. A repetition gives the same. */
  async ask(sender: Sender & {readonly event: {readonly sn: number}}, binding: Binding): Promise<Pairing> {
    const {database, clock, members} = this.#options
    const {endpoint, event} = sender
    const {user, channel, sn} = event
    if (user === undefined) return {is: "full"}
    const person = members.personOf(endpoint, user)
    return this.#change("a code", async (now): Promise<Changed<Pairing>> => {
      const own = [endpoint, person, now] as const
      const [row] = await database.read(
        `SELECT ${columns} FROM agent_members WHERE endpoint = ? AND person = ? AND expires_at > ?`,
        [...own],
      )
      if (row !== undefined) {
        const answer = {is: "code", code: String(row.code)} as const
        if (row.asked_sn === sn) return [answer]
        if (now - Number(row.told_at) < pause) return [{is: "told"}]
        const sql = "UPDATE agent_members SET asked_sn = ?, told_at = ? WHERE endpoint = ? AND person = ?"
        await database.write([{sql, args: [sn, now, endpoint, person]}])
        return [answer]
      }
      const [count] = await database.read(
        "SELECT count(*) AS open FROM agent_members WHERE endpoint = ? AND code IS NOT NULL AND seen IS NULL AND expires_at > ?",
        [endpoint, now],
      )
      if (Number(count?.open) >= mostOpen) return [{is: "full"}]
      const code = newCode()
      const id = members.idOf(endpoint, user.id)
      const expires = clock.now() + validity
      const sends = await this.#questions({code, user: id, endpoint, expires}, binding)
      const args = [endpoint, person, id, code, binding.name, channel?.id ?? user.id, sn, now, expires]
      return [{is: "code", code}, sends, [{sql: storeCode, args}]]
    })
  }

  /** Makes the user of a code a member, and says so to the user. A repetition changes nothing. Throws `pairing_unknown`. */
  approve(typed: string, by: string): Promise<PairingView> {
    const {database, log, sayIn} = this.#options
    const wanted = readCode(typed)
    return this.#change("an approval", async (now): Promise<Changed<PairingView>> => {
      // Codes of the week before are still known, so that an approval can be repeated.
      const select = `SELECT ${columns} FROM agent_members WHERE code IS NOT NULL AND expires_at > ?`
      const rows = await database.read(select, [now - validity])
      const row = rows.find(({code}) => isCode(String(code), wanted))
      if (row === undefined) throw new Problem("pairing_unknown", "no user has this code")
      const view = viewPairing(row)
      if (row.seen !== null) return [view]
      const {endpoint, user, agent} = view
      if (Number(row.expires_at) <= now)
        throw new Problem("pairing_unknown", `the code of ${user} at ${endpoint} has expired`)
      const place = {endpoint, channel: String(row.channel)}
      const say = await sayIn({...place, user})
      log.info(`${by} approved a user of ${endpoint} who asked the agent ${agent}`)
      const own = [endpoint, String(row.person), String(row.code)]
      const which = "endpoint = ? AND person = ? AND code = ?"
      return [
        view,
        [messageDraft(place, say("agent.welcome", {agent}))],
        [
          // The user may have been forgotten meanwhile.
          assertThat(`EXISTS (SELECT 1 FROM agent_members WHERE ${which})`, own),
          {sql: `UPDATE agent_members SET seen = ? WHERE ${which}`, args: [Math.floor(now / 86_400_000), ...own]},
          telling("user.approved", {agent, by}, {endpoint}),
        ],
      ]
    })
  }

  async list(): Promise<readonly PairingView[]> {
    const {database, clock} = this.#options
    const rows = await database.read(
      `SELECT ${columns} FROM agent_members WHERE code IS NOT NULL AND seen IS NULL AND expires_at > ? ORDER BY expires_at`,
      [clock.now()],
    )
    return rows.map(viewPairing)
  }

  async #questions(
    {
      code,
      user,
      endpoint,
      expires,
    }: Readonly<Record<"code" | "user" | "endpoint", string>> & {readonly expires: number},
    {name, config}: Binding,
  ): Promise<readonly OutboxDraft[]> {
    const {to} = config.approval
    if (to === undefined) return []
    const say = await this.#options.sayIn(to)
    const until = `${new Date(expires).toISOString().slice(0, 16).replace("T", " ")} UTC`
    const text = say("agent.pair", {code, user, endpoint, agent: name, permission: admitPermission, until})
    return [messageDraft(to, [text, this.#button.button({code}, say("agent.approve"), {style: "primary"})])]
  }

  /** Stores statements and messages in one batch; an answer that was lost does not store them again. */
  #change<T>(what: string, work: (now: number) => Promise<Changed<T>>): Promise<T> {
    const {database, log, clock, outbox} = this.#options
    return this.#turns.take("", async () => {
      let stored: readonly OutboxDraft[] = []
      const answer = await persist(what, log, async () => {
        const [result, sends = [], statements = []] = await work(clock.now())
        if (sends.length > 0) stored = sends
        if (statements.length > 0) await database.write([...statements, ...storing(sends, clock.now())])
        return result
      })
      outbox.stored(stored)
      return answer
    })
  }
}

type Changed<T> = readonly [answer: T, sends?: readonly OutboxDraft[], statements?: Parameters<Database["write"]>[0]]

const storeCode = `INSERT INTO agent_members (endpoint, person, user, code, agent, channel, asked_sn, told_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (endpoint, person) DO UPDATE SET code = excluded.code,
    agent = excluded.agent, channel = excluded.channel, asked_sn = excluded.asked_sn, told_at = excluded.told_at,
    expires_at = excluded.expires_at`

const viewPairing = (row: Row): PairingView => ({
  code: String(row.code),
  agent: String(row.agent),
  endpoint: String(row.endpoint),
  user: String(row.user),
  expiresAt: new Date(Number(row.expires_at)).toISOString(),
})
