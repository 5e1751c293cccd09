import {randomUUID} from "node:crypto"
import {join, resolve} from "node:path"
import type {Component} from "../../../shared/api/readiness.ts"
import type {Issue} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import {projectName} from "../../project/settings.ts"
import type {StoredCheckpoint} from "../../recovery/checkpoint/store.ts"
import {makePrivateFolder, removeFolder} from "../../runtime/files.ts"
import {projectPaths} from "../../runtime/project.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import {version} from "../../runtime/version.ts"
import {assembleOnce, type Once, type RunOptions, runOnce} from "./assemble-once.ts"
import type {TriedCheckpoint} from "./once-checkpoint.ts"

export interface OnceOptions extends RunOptions {
  /** Calls `work` with the checkpoint to use instead of an empty state. */
  readonly withCheckpoint?: (
    work: (checkpoint: Pick<StoredCheckpoint, "folder" | "manifest">) => Promise<void>,
  ) => Promise<void>
}

/** The result of a one-shot start, printed as one line of JSON. */
export type OnceResult = {
  readonly schema: "svc.once/1"
  readonly ok: boolean
  readonly project: string
  readonly version: string
  readonly runtime: string
} & (
  | {
      /** The generation committed; `ok` also requires that the required components are ready. */
      readonly committed: true
      /** The checkpoint of its state; null for an empty state. */
      readonly checkpoint: TriedCheckpoint | null
      readonly plugins: readonly string[]
      readonly endpoints: readonly string[]
      /** The jobs that plugins declare with `plugin.job`, as `<plugin>/<job>`. */
      readonly jobs: readonly string[]
      /** The pages that they publish with `plugin.page`, as `<plugin>/<path>`, whether the configuration lists them or not. */
      readonly pages: readonly string[]
      readonly components: readonly Component[]
      /** Notes for people about valid code that may not do what its author intended. */
      readonly notes: readonly string[]
      /** Agent bindings that are not configured. */
      readonly warnings: readonly Issue[]
    }
  | {
      readonly committed: false
      readonly code: string
      readonly detail: string
      readonly hint: string
      readonly issues: readonly Issue[]
    }
)

/**
 * Assembles the whole runtime without a port, without connecting endpoints and without the project's data. It uses an empty
 * database in `.svc/tmp`, or a restored and migrated copy of a checkpoint, and runs no job. Works beside a running Host.
 * Never rejects because of a fault in the project.
 */
export const startOnce = async (options: OnceOptions, runtime: Runtime): Promise<OnceResult> => {
  const head = {
    schema: "svc.once/1",
    project: await projectName(projectPaths(resolve(options.project))),
    version,
    runtime: `${runtime.name} ${runtime.version}`,
  } as const
  return runOnce<OnceResult>(
    options,
    runtime,
    async once => ({...head, ...(await assemble(options, once))}),
    failure => ({...head, committed: false, ...failure}),
  )
}

const assemble = async (options: OnceOptions, once: Once) => {
  const scratch = join(once.paths.temporary, `once-${randomUUID()}`)
  await makePrivateFolder(scratch)
  once.scope.defer(() => removeFolder(scratch))
  const {database, checkpoint} = await openState(options, once, scratch)
  const {generation, ready, components, warnings} = await assembleOnce({
    ...once,
    database,
    restorePoint: checkpoint?.id ?? "none",
    builds: "current",
    cache: join(scratch, "plugins"),
  })
  return {
    ok: ready,
    committed: true,
    checkpoint,
    plugins: generation.instances.map(({name}) => name),
    endpoints: generation.snapshot.endpoints.map(({name}) => name),
    jobs: [...generation.snapshot.jobs.keys()],
    pages: generation.instances.flatMap(({name, registrations}) =>
      registrations.pages.map(({path}) => `${name}${path}`),
    ),
    components,
    notes: [
      ...generation.notes,
      ...[...new Set(once.thrown)].map(what => `a plugin threw outside its handlers: ${what}`),
    ],
    warnings: warnings.map(issue => ({...issue, message: options.logs.scrub(issue.message)})),
  } as const
}

const openState = async (
  {withCheckpoint}: OnceOptions,
  once: Once,
  scratch: string,
): Promise<{database: Database; checkpoint: TriedCheckpoint | null}> => {
  if (withCheckpoint === undefined) return {database: await once.open(join(scratch, "data.sqlite")), checkpoint: null}
  // Loaded only here, so that other starts are faster.
  const {openCheckpoint} = await import("./once-checkpoint.ts")
  let opened: Awaited<ReturnType<typeof openCheckpoint>> | undefined
  await withCheckpoint(async checkpoint => {
    opened = await openCheckpoint(checkpoint, once, scratch)
  })
  if (opened === undefined) throw new Error("withCheckpoint did not call back with a checkpoint")
  return {database: opened.database, checkpoint: opened.tried}
}
