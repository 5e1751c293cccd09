import type {AlertBody, AlertsView, AlertTestResult, AlertWait} from "../../../shared/alerts/api.ts"
import {type AlertSettings, type AlertTarget, isAlerting, kindOf} from "../../../shared/config/alerts.ts"
import {durationOf} from "../../../shared/duration.ts"
import type {Log} from "../../../shared/log.ts"
import {isProblem, Problem, messageOf as saidBy} from "../../../shared/problems.ts"
import type {Database, Statement} from "../../database/database.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import type {Seen} from "./condition.ts"
import {deliver, type Senders, waits} from "./delivery.ts"
import {type Ask, Heartbeat} from "./heartbeat.ts"
import {type AlertRecord, type Changes, Ledger} from "./ledger.ts"
import {type Asking, compose, type DueSettings, dueOf, type Notice, type Who} from "./notice.ts"
import {isQuiet} from "./quiet.ts"
import {forgettingAll, type KeptTarget, readKept, storingBeat, storingRecord, storingTarget} from "./store.ts"
import {timeOf, viewAlerts, viewHeartbeat, viewTarget} from "./view.ts"

export interface AlertsOptions {
  readonly who: Who
  readonly database: Pick<Database, "read" | "write">
  readonly log: Log
  readonly settings: () => AlertSettings
  readonly look: () => Promise<Seen>
  readonly senders: Senders
  readonly ask: Ask
  readonly isReady: () => boolean
  /** Is the database known to refuse changes? */
  readonly isFailing: () => boolean
  /** Returns the statements for the events of these alerts, for the batch of their change. */
  readonly telling: (records: readonly AlertRecord[]) => readonly Statement[]
  readonly scrub: (text: string) => string
  readonly now?: () => number
}

/** How long storing a change may take before alerts are sent without it, in milliseconds. */
const storeLimit = 3000

interface Serving {
  kept: KeptTarget
  failures: number
  sending: Promise<void> | undefined
}

/**
 * Checks the Host every few seconds, and tells the targets what is wrong and what is resolved. It never delays
 * messages: it retries a failed target in the background. Rows record which target received which alert, so a restart
 * repeats nothing.
 */
export class Alerts {
  readonly #options: AlertsOptions
  readonly #now: () => number
  readonly #startedAt: number
  readonly #heartbeat: Heartbeat
  readonly #stopped = new AbortController()
  #ledger: Ledger | undefined
  #loading: Promise<Ledger> | undefined
  readonly #targets = new Map<string, Serving>()
  /** Rows to store. After a failure they go into the next batch. */
  readonly #unstored = new Map<string, AlertRecord | undefined>()
  readonly #unstoredTargets = new Set<string>()
  #writing: Promise<unknown> = Promise.resolve()
  #timer: ReturnType<typeof setTimeout> | undefined
  #checking: Promise<void> | undefined
  #checkedAt: number | undefined

  constructor(options: AlertsOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#startedAt = this.#now()
    const {isReady, ask, database} = options
    const store = (at: number) => database.write([storingBeat(at)])
    this.#heartbeat = new Heartbeat({isReady, ask, store, now: this.#now})
  }

  start(): void {
    this.#schedule()
    // The first request can then show what is known.
    if (isAlerting(this.#options.settings())) void this.#known()
  }

  /** Resolves when no message is being sent. The next run sends what was interrupted. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#stopped.abort(new Problem("stopping", "the Host is stopping"))
    await this.#checking
    await Promise.all([...this.#targets.values()].map(({sending}) => sending))
  }

  /** Checks now, and begins to send what is due. A caller during a check waits for its end. Never rejects. */
  check(): Promise<void> {
    this.#checking ??= this.#check()
      .catch(error => {
        if (!isProblem(error, "stopping")) this.#options.log.warn(`checking alerts failed: ${saidBy(error)}`)
      })
      .finally(() => {
        this.#checking = undefined
      })
    return this.#checking
  }

  /** Resolves when the messages in progress were accepted or refused. */
  async idle(): Promise<void> {
    await this.#checking
    await Promise.all([this.#heartbeat.idle(), ...[...this.#targets.values()].map(({sending}) => sending)])
  }

  get view(): AlertsView {
    const settings = this.#options.settings()
    const now = this.#now()
    const configured = isAlerting(settings)
    const records = this.#ledger?.records ?? []
    const all: DueSettings = {...this.#dueSettings(settings, now), isQuiet: false}
    const targets = Object.entries(settings.targets).map(([name, target]) => {
      const {kept, failures} = this.#targets.get(name) ?? {kept: {name, since: now}, failures: 0}
      const due = records.filter(record => dueOf(record, {name, target, since: kept.since}, all, now)).length
      const isQuietFor = due > 0 && target.quiet && isQuiet(settings.quiet, now)
      const waiting = this.#waits(target) ?? (isQuietFor ? "quiet_hours" : null)
      return {...viewTarget(target, kept), waiting, due: due + (kept.notice?.alerts.length ?? 0), failures}
    })
    return {
      configured,
      checkedAt: timeOf(this.#checkedAt),
      items: configured ? viewAlerts(records, this.#options.who.project) : [],
      targets,
      heartbeat: settings.heartbeat === undefined ? null : viewHeartbeat(this.#heartbeat),
    }
  }

  /** Sends a test to one target or to all, now. Throws `alert_target_unknown`, `alerts_off`. */
  async test(name: string | undefined): Promise<AlertTestResult> {
    const {targets} = this.#options.settings()
    const chosen =
      name === undefined ? Object.entries(targets) : Object.entries(targets).filter(([own]) => own === name)
    if (name !== undefined && chosen.length === 0)
      throw new Problem("alert_target_unknown", `alerts.targets has no "${name}"`)
    if (chosen.length === 0) throw new Problem("alerts_off", "alerts.targets is empty")
    return {items: await Promise.all(chosen.map(([target, settings]) => this.#testOne(target, settings)))}
  }

  async #testOne(name: string, target: AlertTarget): Promise<AlertTestResult["items"][number]> {
    const {who, senders} = this.#options
    const waiting = this.#waits(target)
    if (waiting !== undefined)
      return {target: name, ok: false, detail: `the target cannot receive alerts now: ${waiting}`}
    const notice = testNotice(who, this.#now())
    try {
      await deliver(senders, target, notice, who, this.#stopped.signal)
      const how = {
        channel: "stored in the outbox",
        webhook: "accepted by the receiver",
        email: "accepted by the mail server",
      }
      return {target: name, ok: true, detail: how[kindOf(target)]}
    } catch (error) {
      return {target: name, ok: false, detail: this.#options.scrub(saidBy(error))}
    }
  }

  #schedule(): void {
    if (this.#stopped.signal.aborted) return
    const every = durationOf(this.#options.settings().every)
    this.#timer = setTimeout(() => void this.check().then(() => this.#schedule()), every)
    this.#timer.unref()
  }

  async #check(): Promise<void> {
    const {settings: read, look, scrub} = this.#options
    const settings = read()
    if (!isAlerting(settings)) return this.#forget()
    const now = this.#now()
    if (settings.heartbeat !== undefined) this.#heartbeat.consider(settings.heartbeat)
    const ledger = await this.#known()
    // What a channel waits for may end during the check, and with it an alert that is still seen.
    const waited = Object.values(settings.targets).filter(target => this.#waits(target) !== undefined)
    const {conditions, unknown} = await look()
    const shown = conditions.map(each => ({...each, title: scrub(each.title), text: scrub(each.text)}))
    const changes = ledger.advance({conditions: shown, unknown}, now, {
      rules: settings.items,
      settle: durationOf(settings.settle),
      steadyFrom: this.#startedAt + durationOf(settings.grace),
    })
    this.#checkedAt = now
    this.#serve(settings, now)
    await this.#store(changes, waited, settings, now)
  }

  /** If the database cannot be read, starts as if no target had received anything. */
  async #load(): Promise<Ledger> {
    const kept = await withTimeLimit(storeLimit, () => readKept(this.#options.database)).catch(error => {
      this.#options.log.warn(`cannot read which alerts were already sent: ${saidBy(error)}`)
      return {records: [], targets: []}
    })
    for (const target of kept.targets) this.#targets.set(target.name, {kept: target, failures: 0, sending: undefined})
    this.#ledger = new Ledger(this.#options.who.runtimeId, kept.records)
    return this.#ledger
  }

  #known(): Promise<Ledger> {
    this.#loading ??= this.#load()
    return this.#loading
  }

  /** Updates the targets to those of the current configuration. */
  #serve({targets}: AlertSettings, now: number): void {
    for (const name of this.#targets.keys()) {
      if (Object.hasOwn(targets, name)) continue
      this.#targets.delete(name)
      this.#unstoredTargets.add(name)
    }
    for (const name of Object.keys(targets)) {
      if (this.#targets.has(name)) continue
      this.#targets.set(name, {kept: {name, since: now}, failures: 0, sending: undefined})
      this.#unstoredTargets.add(name)
    }
  }

  /** Stores the changes together with the next message of each target, then begins to send, but not to `waited`. */
  async #store(changes: Changes, waited: AlertTarget[], settings: AlertSettings, now: number): Promise<void> {
    for (const [key, record] of changes) this.#unstored.set(key, record)
    const news = [...changes.values()].filter(record => record !== undefined).filter(record => isNews(record, now))
    for (const record of news) this.#tell(record)
    const direct = Object.entries(settings.targets).filter(([, target]) => kindOf(target) !== "channel")
    const channels = Object.entries(settings.targets).filter(([, target]) => kindOf(target) === "channel")
    for (const [name, target] of direct) this.#prepare(name, target, settings, now)
    const isStored = await this.#write(this.#options.telling(news))
    for (const [name, target] of direct) this.#send(name, target)
    // A message to a channel is a row and is sent once, so its state must be stored before it is sent.
    if (!isStored) return
    for (const [name, target] of channels) {
      if (waited.includes(target) || this.#waits(target) !== undefined) continue
      const undo = this.#prepare(name, target, settings, now)
      if (undo !== undefined && !(await this.#write([]))) undo()
      else this.#send(name, target)
    }
  }

  #tell({title, code, until, endpoint, runId}: AlertRecord): void {
    const about = {code, ...(endpoint === undefined ? {} : {endpoint}), ...(runId === undefined ? {} : {runId})}
    if (until === null) this.#options.log.info(`alert: ${title}`, about)
    else this.#options.log.info(`alert resolved: ${title}`, about)
  }

  /** Puts due alerts into the target's next message. Returns a function that takes them back; undefined if none is. */
  #prepare(name: string, target: AlertTarget, settings: AlertSettings, now: number): (() => void) | undefined {
    const serving = this.#targets.get(name)
    const ledger = this.#ledger
    if (serving === undefined || ledger === undefined || serving.kept.notice !== undefined) return undefined
    const asking: Asking = {name, target, since: serving.kept.since}
    const composed = compose(ledger.tellable, asking, this.#dueSettings(settings, now), this.#options.who, now)
    if (composed === undefined) return undefined
    const keys = new Set(composed.records.map(({key}) => key))
    const before = {kept: serving.kept, records: ledger.records.filter(({key}) => keys.has(key))}
    const put = (kept: KeptTarget, records: readonly AlertRecord[]) => {
      serving.kept = kept
      ledger.put(records)
      this.#unstoredTargets.add(name)
      for (const record of records) this.#unstored.set(record.key, record)
    }
    put({...serving.kept, notice: composed.notice}, composed.records)
    return () => put(before.kept, before.records)
  }

  /** Sends the prepared message, unless it is being sent, waits for its next attempt, or the target cannot receive. */
  #send(name: string, target: AlertTarget): void {
    const serving = this.#targets.get(name)
    const notice = serving?.kept.notice
    if (serving === undefined || notice === undefined || serving.sending !== undefined) return
    if (notice.nextAt > this.#now() || this.#waits(target) !== undefined || this.#stopped.signal.aborted) return
    serving.sending = this.#attempt(serving, target, notice).finally(() => {
      serving.sending = undefined
    })
  }

  async #attempt(serving: Serving, target: AlertTarget, notice: Notice): Promise<void> {
    const {senders, who, log, scrub} = this.#options
    const {name, since} = serving.kept
    const {notice: _, failure: __, ...rest} = serving.kept
    try {
      await deliver(senders, target, notice, who, this.#stopped.signal)
      serving.kept = {...rest, lastSentAt: this.#now()}
    } catch (error) {
      if (this.#stopped.signal.aborted || isWaiting(error)) return
      const wait = waits[notice.attempts]
      const failure = {at: this.#now(), error: scrub(saidBy(error))}
      serving.failures++
      log.warn(`cannot deliver an alert to ${name}: ${failure.error}${wait === undefined ? "; giving up" : ""}`)
      const next = {...notice, attempts: notice.attempts + 1, nextAt: failure.at + (wait ?? 0)}
      serving.kept = {...rest, since, failure, ...(wait === undefined ? {} : {notice: next})}
    }
    this.#unstoredTargets.add(name)
    await this.#write([])
  }

  #dueSettings({repeat, quiet}: AlertSettings, now: number): DueSettings {
    return {repeat: durationOf(repeat), isQuiet: isQuiet(quiet, now), passes: quiet.critical}
  }

  #waits(target: AlertTarget): AlertWait | undefined {
    return target.endpoint === undefined ? undefined : this.#options.senders.channelWaits(target.endpoint)
  }

  /** Resolves to whether everything was stored. Batches run one after the other, so that the newest rows win. */
  #write(more: readonly Statement[]): Promise<boolean> {
    const written = this.#writing.then(() => this.#writeNow(more))
    this.#writing = written
    return written
  }

  async #writeNow(more: readonly Statement[]): Promise<boolean> {
    const records = new Map(this.#unstored)
    const targets = [...this.#unstoredTargets]
    const statements = [
      ...[...records].map(([key, record]) => storingRecord(key, record)),
      ...targets.map(name => storingTarget(name, this.#targets.get(name)?.kept)),
      ...more,
    ]
    if (statements.length === 0) return !this.#options.isFailing()
    this.#unstored.clear()
    this.#unstoredTargets.clear()
    try {
      await withTimeLimit(storeLimit, () => this.#options.database.write(statements))
      return true
    } catch (error) {
      for (const [key, record] of records) if (!this.#unstored.has(key)) this.#unstored.set(key, record)
      for (const name of targets) this.#unstoredTargets.add(name)
      this.#options.log.debug(`alerts continue without being stored: ${saidBy(error)}`)
      return false
    }
  }

  /** Deletes all known alerts, because no target is configured any more. */
  async #forget(): Promise<void> {
    if ((await this.#known()).records.length === 0 && this.#targets.size === 0) return
    this.#targets.clear()
    this.#unstored.clear()
    this.#unstoredTargets.clear()
    await this.#options.database.write([...forgettingAll])
    this.#ledger = new Ledger(this.#options.who.runtimeId)
    this.#loading = Promise.resolve(this.#ledger)
  }
}

/** True if the alert was just raised or resolved. */
const isNews = ({until, raisedAt}: AlertRecord, now: number): boolean => until !== null || raisedAt === now

const waitCodes: readonly string[] = ["ingress_paused", "stopping"]

/** True for an error that means waiting, not failure: ingress was paused meanwhile, or the database accepts no row. */
const isWaiting = (error: unknown): boolean => {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Problem && (cause.code.startsWith("database_") || waitCodes.includes(cause.code))
}

const testNotice = ({project, runtimeId}: Who, now: number): Notice => {
  const at = new Date(now).toISOString()
  const alert: AlertBody = {
    id: "test",
    code: "not_ready",
    status: "test",
    repeated: false,
    severity: "warning",
    title: "Test alert: nothing is wrong",
    text: "Sent by svc alert test.",
    since: at,
    until: at,
    remediation: {text: "Nothing."},
    Project: project,
    runtimeId,
  }
  return {id: crypto.randomUUID(), at: now, attempts: 0, nextAt: now, alerts: [alert]}
}
