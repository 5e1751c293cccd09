import {durationOf} from "../../../shared/duration.ts"
import type {Log} from "../../../shared/log.ts"
import {by, singleOrNone} from "../../../shared/metrics/readings.ts"
import type {Mode} from "../../../shared/mode.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {LoadedConfig} from "../../config/load.ts"
import {schemaOf} from "../../database/database.ts"
import {readFirstStart} from "../../database/state/runs.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import {type Hide, telling} from "../../events/telling.ts"
import type {RunningGeneration} from "../../generation/running-generation.ts"
import type {Part} from "../../runtime/part.ts"
import {RunningBuild} from "../build/running.ts"
import {hashProject} from "../build/source.ts"
import type {CheckpointSource} from "../checkpoint/create.ts"
import {readCode} from "../checkpoint/provenance.ts"
import {CheckpointStore} from "../checkpoint/store.ts"
import {Checkpoints} from "../checkpoints.ts"
import type {Tell} from "../news.ts"
import {ReleaseRecord} from "../release/record.ts"
import {Releases} from "../release/releases.ts"
import {discardPrepared} from "../release/verification/prepared.ts"
import {CheckpointSchedule} from "../schedule.ts"
import {nameSecrets, rememberNames} from "../secrets/secrets.ts"
import {Uploads} from "../upload/uploads.ts"

const notLoaded = [] as const

export interface RecoveryOptions extends Pick<CheckpointSource, "paths" | "project" | "authority" | "database"> {
  readonly runtimeId: string
  readonly mode: Mode
  readonly watch: boolean
  readonly logs: {readonly log: Log; readonly scrubJson: Hide}
}

export interface RecoveryNeeds extends Pick<CheckpointSource, "participants"> {
  readonly running: RunningGeneration
  readonly ingress: Ingress
  readonly disk: {least(): number}
}

/** The recovery part of a running Host: checkpoints, uploads and releases. */
export interface RecoveryPart extends Part {
  readonly build: RunningBuild
  readonly checkpoints: Checkpoints
  readonly releases: Releases
  /** Adds values of secrets, which no checkpoint may contain. */
  hide(values: readonly string[]): void
  /** Reads the names of the secret variables from a generation's configuration. */
  learn(config: LoadedConfig): void
}

export const createRecovery = (
  {logs, mode, watch, ...options}: RecoveryOptions,
  {running, ingress, disk, participants}: RecoveryNeeds,
): RecoveryPart => {
  const {paths, database} = options
  const {log, scrubJson: scrub} = logs
  const build = new RunningBuild(paths, {
    plugins: () => running.current?.instances ?? notLoaded,
    configuration: () => running.pin?.fileSha256 ?? running.current?.config.sha256,
    isReloading: watch && mode !== "production",
  })
  const tell: Tell = async ({type, data}) => {
    await database
      .write([telling(type, data, {}, scrub)])
      .catch(error => log.warn(`could not store the event ${type}: ${messageOf(error)}`))
  }
  const values = new Set<string>()
  let secrets: Record<string, string> = {}
  const checkpoints = new Checkpoints({
    store: new CheckpointStore(paths.checkpoints),
    source: () => ({...options, participants, log, schema: schemaOf(database), secrets, build: () => build.recorded()}),
    temporary: paths.temporary,
    log,
    tell,
  })
  const uploads = new Uploads({
    checkpoints,
    secrets: () => secrets,
    temporary: paths.temporary,
    least: () => disk.least(),
    log,
    tell,
  })
  const releases = new Releases({
    record: new ReleaseRecord(paths.releases),
    checkpoints,
    ingress,
    code: () => readCode(paths.project, process.env),
    build: () => build.idle(),
    changes: async () => (await build.recorded()).changes,
    copy: () => hashProject(paths),
    discard: () => discardPrepared(paths),
    runtimeId: options.runtimeId,
    window: () => running.settings.releases.window,
    log,
    tell,
  })
  const learn = (config: LoadedConfig): void => {
    // Values of earlier generations may still be stored somewhere.
    secrets = {...secrets, ...nameSecrets(config.text, config.variables, values)}
    rememberNames(database, Object.keys(secrets)).catch(error =>
      log.warn("the Host could not store the names of the secrets", {error}),
    )
  }
  let schedule: CheckpointSchedule | undefined
  running.onCommit(({config}) => learn(config))
  return {
    name: "checkpoints and releases",
    build,
    checkpoints,
    releases,
    hide: fresh => {
      for (const value of fresh) values.add(value)
    },
    learn,
    start: async () => {
      void build.start()
      await checkpoints.start()
      // The Host also runs without the release record: only releases need it.
      await releases.start().catch(error => log.error(`releases: ${messageOf(error)}`))
      // A remote database has its own backup tool and schedule.
      if (database.location.dialect !== "sqlite") return
      const firstStart = Number(await readFirstStart(database))
      schedule = new CheckpointSchedule({
        checkpoints,
        settings: () => ({
          every: durationOf(running.settings.checkpoints.every),
          keep: running.settings.checkpoints.keep,
        }),
        firstStart,
        log,
      })
      schedule.start()
    },
    stopTaking: async () => {
      schedule?.stop()
      await uploads.stop()
      await checkpoints.stop()
      await releases.stop()
    },
    metrics: [{read: () => countsOf(checkpoints)}],
    limit: 1000,
    late: "a checkpoint in progress did not end in time",
    routes: async () => (await import("./checkpoints.ts")).checkpointRoutes(checkpoints, uploads),
  }
}

/** Only verified checkpoints count. */
const countsOf = (checkpoints: Checkpoints) => {
  const newest = checkpoints.newest(Date.now())
  return {
    svc_checkpoints_total: by("outcome", {...checkpoints.outcomes}),
    svc_checkpoint_verified_timestamp_seconds: singleOrNone(
      newest === null ? undefined : Date.parse(newest.createdAt) / 1000,
    ),
  }
}
