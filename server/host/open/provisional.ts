import type {Status} from "../../../shared/api/system.ts"
import {epochOf} from "../../../shared/event-id.ts"
import {isProblem, Problem, toProblem} from "../../../shared/problems.ts"
import {type Backoff, pauseAfter} from "../../../shared/sdk/adapter/backoff.ts"
import type {Secret} from "../../../shared/secret.ts"
import {standingsOf} from "../../agents/bindings/standings.ts"
import type {Variables} from "../../config/expand.ts"
import {type LoadedConfig, readConfigText} from "../../config/load.ts"
import {AbsentDatabase} from "../../database/absent.ts"
import type {Database} from "../../database/database.ts"
import {whyUnreachable} from "../../database/remote/reach.ts"
import {Endpoints} from "../../endpoints/endpoints.ts"
import {createDraft, type Draft, describeFailure} from "../../generation/draft.ts"
import {type LastCommitted, pinFor, readLastCommitted} from "../../generation/last-committed.ts"
import type {Gate} from "../../http/gate.ts"
import {createProvisionalApp} from "../../http/provisional.ts"
import {startingStatus} from "../../http/public/status-board.ts"
import {type Facts, pluginStates} from "../../http/readiness/facts.ts"
import {createReport, describeReport, isEveryRequiredReady} from "../../http/readiness/report.ts"
import {readAuthorityFile} from "../../project/authority.ts"
import {locationOf} from "../../project/settings.ts"
import {RunningBuild} from "../../recovery/build/running.ts"
import {pauseStart, startEnded} from "../../runtime/flow/starting.ts"
import {removeHostFile, writeHostFile} from "../../runtime/host-file.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import {version} from "../../runtime/version.ts"
import {jobDefaultProblem} from "../../scheduler/job-defaults.ts"
import {createLoader} from "../plugins/built-in-plugins.ts"
import {viewFailure} from "./failure.ts"
import type {HostOptions} from "./host.ts"

export interface ProvisionalOptions {
  readonly host: HostOptions
  readonly runtime: Runtime
  readonly runtimeId: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly paths: ProjectPaths
  readonly project: string
  readonly boot: LoadedConfig
  readonly readVariables: () => Promise<Variables>
  readonly token: {readonly used: Secret; readonly made: Secret | undefined}
  readonly gate: Gate
  readonly url: string
}

const retry: Backoff = {first: 1000, longest: 15_000}

/**
 * Opens a remote database that readiness does not require. While it does not answer, a provisional generation runs and
 * the Host retries without a limit. Throws what `open` throws once the database answers, why the provisional generation
 * cannot be made, and `stopping`.
 */
export const reachDatabase = async (options: ProvisionalOptions, open: () => Promise<Database>): Promise<Database> => {
  const {signal} = options.host
  const first = await attempt(options, open)
  if (typeof first !== "string") return first
  if (signal.aborted) throw startEnded()
  const provisional = new ProvisionalHost(options, first)
  try {
    await provisional.start()
    for (let failures = 1; ; failures++) {
      await pauseStart(pauseAfter(failures, retry), signal)
      const outcome = await attempt(options, open)
      if (typeof outcome !== "string") {
        options.host.logs.log.info("the database answers: the start continues")
        return outcome
      }
      provisional.failed(outcome)
    }
  } finally {
    await provisional.dispose()
  }
}

/**
 * Answers without a generation while `over` waits for space: the readiness report, the status and the console, and 503
 * for everything that needs the database. The answers stay until the gate is opened again.
 */
export const answerWithoutSpace = async (
  options: ProvisionalOptions,
  {why, attempts}: {readonly why: string; readonly attempts: number},
  over: () => Promise<void>,
): Promise<void> => {
  const waiting = new ProvisionalHost(options, why, {for: "space", attempts})
  try {
    await waiting.answer()
    await over()
  } finally {
    await removeHostFile(options.paths, options.runtimeId).catch(() => {})
  }
}

/** Returns the open database, or why it does not answer. */
const attempt = async (
  {host: {signal}, boot: {config}}: ProvisionalOptions,
  open: () => Promise<Database>,
): Promise<Database | string> => {
  const ask = () => whyUnreachable(config.database.url ?? "", signal)
  const why = await ask()
  if (why !== undefined) return why
  try {
    return await unlessStopped(open(), signal)
  } catch (error) {
    // The database may have stopped answering in the meantime; a refusal is final.
    const gone = isProblem(error, "database_unopenable") ? await ask() : undefined
    if (gone === undefined) throw error
    return gone
  }
}

/** A request to a hanging server may take minutes. */
const unlessStopped = (opening: Promise<Database>, signal: AbortSignal): Promise<Database> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      reject(startEnded())
      void opening.then(database => database.close()).catch(() => {})
    }
    if (signal.aborted) return stop()
    signal.addEventListener("abort", stop, {once: true})
    void opening.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop))
  })

type MadeFacts = Pick<Facts, "endpoints" | "plugins" | "agents" | "required">

const notLoaded = [] as const

/** What the Host waits for before it can record a generation, and how many attempts have failed. */
interface Awaited {
  readonly for: "database" | "space"
  readonly attempts: number
}

/** An unrecorded generation, and the Host's answers about it; none while it waits for space. Opens no endpoint. */
class ProvisionalHost {
  readonly #options: ProvisionalOptions
  /** From `.svc/`; empty if the database was never reached. */
  #authority = ""
  #number = 1
  #pin: LastCommitted["pinned"]
  readonly #since: number
  readonly #opened = new AbortController()
  readonly #endpoints = new Endpoints({
    receive: async () => {
      throw new Problem("admission_closed", "nothing can be stored yet")
    },
    online: () => {},
  })
  readonly #build: RunningBuild
  #draft: Draft | undefined
  #failure: Problem | undefined
  /** The facts when the generation was made: its instances are disposed of before another generation replaces it. */
  #facts: MadeFacts = noFacts
  readonly #waitsFor: Awaited["for"]
  #attempts: number
  #error: string

  /** `error` says why the database does not answer, or why nothing can be stored. */
  constructor(options: ProvisionalOptions, error: string, awaited: Awaited = {for: "database", attempts: 1}) {
    this.#options = options
    this.#error = error
    this.#waitsFor = awaited.for
    this.#attempts = awaited.attempts
    this.#since = awaited.for === "space" ? options.startedAt : Date.now()
    this.#build = new RunningBuild(options.paths, {plugins: () => this.#draft?.instances ?? notLoaded})
    this.#build.start()
  }

  /** Makes the generation and answers requests. Throws why the generation cannot be made. */
  async start(): Promise<void> {
    const {paths, host} = this.#options
    const last = await readLastCommitted(paths.generation)
    this.#number = (last?.number ?? 0) + 1
    await this.#make(last)
    host.logs.log.warn(
      `the database does not answer: generation ${this.#number} runs provisionally, and the Host opens and sends nothing until it does`,
      {error: this.#error},
    )
    await this.answer()
    host.onUp?.(() => describeReport(createReport(this.#observe())))
  }

  /** On a full disk the Host's file may be missing; then clients find the Host only by its address. */
  async answer(): Promise<void> {
    const {paths, url, token, runtimeId} = this.#options
    this.#authority = (await readAuthorityFile(paths.authority).catch(() => undefined))?.authority ?? ""
    this.#serve()
    const own = token.made === undefined ? {} : {token: token.made.reveal()}
    await writeHostFile(paths, {url, pid: process.pid, runtimeId, ...own}).catch(error => {
      if (this.#waitsFor === "database") throw error
    })
  }

  /** Records another failed attempt to reach the database. */
  failed(error: string): void {
    this.#attempts++
    const {log} = this.#options.host.logs
    if (error === this.#error) log.debug(`the database does not answer yet: ${error}`)
    else log.warn(`the database does not answer yet: ${error}`, {attempts: this.#attempts})
    this.#error = error
  }

  /** The answers stay until the gate is opened again. */
  async dispose(): Promise<void> {
    await this.#draft?.dispose()
  }

  /**
   * Loads the plugins and runs their `setup`. If a plugin needs data in `setup`, the generation is not ready, and is
   * set up again with the database. Any other failure fails the start.
   */
  async #make(last: LastCommitted | undefined): Promise<void> {
    const {host, runtime, paths, boot, readVariables} = this.#options
    const {logs, signal} = host
    const database = new AbsentDatabase(locationOf(boot.config, paths))
    const file = await readConfigText(paths.config)
    this.#pin = pinFor(last, file)
    try {
      this.#draft = await createDraft(this.#pin ?? file, await readVariables(), undefined, {
        project: paths.project,
        boot,
        database,
        loader: createLoader(host, runtime, paths, {}),
        log: logs.log,
        hide: logs.hide,
        jobDefaultProblem,
        signal,
      })
      this.#facts = factsOf(this.#draft, paths.project)
      await this.#endpoints.apply(this.#draft.snapshot.endpoints)
    } catch (error) {
      if (!database.wasAsked || isProblem(error, "stopping")) throw error
      this.#failure = toProblem(error, "generation_failed")
      logs.log.warn(`the generation cannot be made without the database: ${describeFailure(this.#failure)}`)
    }
  }

  #serve(): void {
    const {boot, token, gate, host, project} = this.#options
    const {http} = boot.config
    const app = createProvisionalApp({
      base: http.base,
      tokens: {token: token.used, previousToken: http.previousToken, demoToken: http.demoToken},
      settings: () => http,
      log: host.logs.log,
      scrub: host.logs.scrubJson,
      system: {readiness: () => createReport(this.#observe()), status: () => this.#status()},
      endpoints: this.#endpoints,
      required: () => this.#facts.required.endpoints,
      waitsFor: this.#waitsFor,
      project,
      consoleHosts: () => http.consoleHosts,
      status: startingStatus(boot.config.status),
      opened: this.#opened.signal,
    })
    gate.open(
      app,
      () => this.#isReady(),
      app.sockets,
      () => this.#opened.abort(),
    )
  }

  #isReady(): boolean {
    return !this.#options.host.signal.aborted && isEveryRequiredReady(this.#observe())
  }

  #observe(): Facts {
    return {
      now: Date.now(),
      startedAt: this.#options.startedAt,
      authority: this.#authority === "" ? undefined : this.#authority,
      generation: this.#draft === undefined ? undefined : {number: this.#number, committedAt: this.#since},
      isPinned: this.#pin !== undefined,
      failure: this.#failure && describeFailure(this.#failure),
      databaseInitialized: false,
      ...(this.#waitsFor === "space"
        ? {noSpace: this.#error}
        : {databaseUnreachable: this.#error, isProvisional: true}),
      ...this.#facts,
    }
  }

  #status(): Status {
    const {host, runtime, runtimeId, project, startedAt, boot} = this.#options
    const since = new Date(this.#since).toISOString()
    const failure = this.#failure
    const {dialect} = boot.config.database
    const made =
      this.#waitsFor === "space"
        ? {number: 0, reason: "waiting for space"}
        : {number: this.#number, reason: "provisional"}
    return {
      project,
      version,
      build: this.#build.current,
      lastGood: null,
      uncommitted: null,
      runtime: {name: runtime.name, version: runtime.version},
      runtimeId,
      authority: this.#authority,
      mode: host.mode,
      startedAt: new Date(startedAt).toISOString(),
      uptime: Math.round((Date.now() - startedAt) / 100) / 10,
      restarts: 0,
      endedCleanly: true,
      generation: {...made, committedAt: since},
      provisional: {since, attempts: this.#attempts, waitsFor: this.#waitsFor, error: this.#error},
      pin: this.#pin === undefined ? null : {number: this.#pin.number},
      lastFailure:
        failure === undefined ? null : viewFailure({at: this.#since, reason: "provisional", problem: failure}),
      ready: this.#isReady(),
      supervisor: host.supervisor(),
      ingress: {state: "open", reasons: [], since},
      checkpoint: null,
      checkpointFailure: null,
      database: {dialect, state: this.#waitsFor === "space" ? "no space" : "unreachable", schema: null},
      workroom: {store: boot.config.workroom.store, authority: this.#authority, seq: 0},
      epoch: epochOf(this.#authority),
      authorities: [],
    }
  }
}

const noFacts = {endpoints: [], plugins: {}, agents: {}, required: {database: false, endpoints: [], agents: []}}

/** Nothing is opened here: an endpoint that could be opened counts as present and enabled. */
const factsOf = (draft: Draft, project: string): MadeFacts => ({
  endpoints: draft.snapshot.endpoints.map(({owner, name, open}) => ({
    owner,
    name,
    state: "idle",
    admission: open === undefined ? {is: "closed", reason: "no_account"} : {is: "open"},
    since: Date.now(),
  })),
  plugins: pluginStates(draft),
  agents: standingsOf(draft.snapshot, project),
  required: draft.config.config.http.readiness,
})
