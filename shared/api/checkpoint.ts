import {Closed, Named, NamedClosed, Optional, orNull, type Static, Time, Type} from "../type.ts"
import {BuildIdentity} from "./build.ts"

/** The newest checkpoint format that this version writes and reads. */
export const checkpointFormat = 2

const Sha256 = (description: string) => Type.String({pattern: "^[0-9a-f]{64}$", description})

/** Sorts by time: `20261121-101500-3f9a1c`. */
export const checkpointIdPattern = "^[0-9]{8}-[0-9]{6}-[0-9a-f]{6}$"

const CheckpointFile = NamedClosed("CheckpointFile", {
  path: Type.String({minLength: 1, description: "Path in the checkpoint, with slashes"}),
  size: Type.Integer({minimum: 0}),
  sha256: Sha256("SHA-256 of its bytes"),
})
export type CheckpointFile = Static<typeof CheckpointFile>

/** `manifest.json` describes a checkpoint with its files. It is written last: a folder without it is no checkpoint. */
export const Manifest = NamedClosed("Manifest", {
  format: Type.Integer({minimum: 1}),
  id: Type.String({pattern: checkpointIdPattern}),
  createdAt: Time("The moment whose state it holds"),
  reason: Type.String({minLength: 1, description: "Who requested it: operator, schedule, or the operation after it"}),
  project: Type.String(),
  authority: Type.String({minLength: 1}),
  runtimeId: orNull(Type.String({description: "The Host that made it; null if no Host was running"})),
  generation: orNull(Type.Integer({minimum: 0, description: "The newest committed generation"})),
  version: Type.String({description: "Version of svc"}),
  build: Type.Optional(BuildIdentity),
  code: Closed({
    commit: orNull(Type.String({description: "The commit of the project's git work tree, or the value of SVC_COMMIT"})),
    clean: orNull(
      Type.Boolean({
        description:
          "True if the commit has everything that ran, except the configuration, which the checkpoint contains",
      }),
    ),
    image: orNull(Type.String({description: "The value of SVC_IMAGE"})),
  }),
  configuration: Closed({file: Type.String(), sha256: Sha256("SHA-256 of the configuration")}),
  lockfile: orNull(Closed({name: Type.String(), sha256: Sha256("SHA-256 of the lockfile")})),
  database: Closed({
    dialect: Type.Enum(["sqlite", "libsql"]),
    schema: Type.Integer({minimum: 1}),
    file: orNull(Type.String({description: "Relative to the project; absolute if it is outside"})),
    restorePoint: orNull(Type.String({description: "Dialect libsql: the id of the database's own backup"})),
  }),
  parts: Type.Record(Type.String(), Type.Unknown(), {description: "What each other part reports at the marker"}),
  secrets: Type.Array(Type.String(), {description: "Names of the variables whose values it does not contain"}),
  files: Type.Array(CheckpointFile),
  seal: Sha256("SHA-256 of this document without the seal"),
})
export type Manifest = Static<typeof Manifest>

export const Verification = Named("Verification", {
  at: Time("When it happened"),
  ok: Type.Boolean(),
  findings: Type.Array(Type.String(), {description: "Why it cannot be restored"}),
  warnings: Type.Array(Type.String(), {description: "Problems to fix that do not prevent a restore"}),
  manifest: Sha256("SHA-256 of the verified manifest"),
  seconds: Type.Number(),
})
export type Verification = Static<typeof Verification>

const CheckpointState = Type.Enum(["complete", "verified", "refused"], {
  description: "complete: it is not verified yet. refused: verification found that it cannot be restored.",
})

export const CheckpointView = Named("CheckpointView", {
  id: Type.String(),
  createdAt: Time("The moment whose state it holds"),
  state: CheckpointState,
  reason: Type.String(),
  size: Type.Integer({description: "Bytes"}),
  authority: Type.String(),
  generation: orNull(Type.Integer()),
  schema: Type.Integer(),
  version: Type.String(),
  commit: orNull(Type.String()),
  verifiedAt: orNull(Time("When it was last verified")),
  uploadedAt: orNull(
    Time("When it was uploaded; null if it was made here. An uploaded checkpoint is no backup of this project"),
  ),
})
export type CheckpointView = Static<typeof CheckpointView>

export const CheckpointDetail = Named("CheckpointDetail", {
  ...CheckpointView.properties,
  manifest: Manifest,
  verification: orNull(Verification),
})
export type CheckpointDetail = Static<typeof CheckpointDetail>

export const CheckpointRequest = NamedClosed("CheckpointRequest", {
  externalRestorePoint: Optional.String({
    minLength: 1,
    description: "Dialect libsql: the id of the backup made with the database's own tool",
  }),
  verify: Optional.Boolean({default: true, description: "Verify it after it is made"}),
})

/** The Host's current or last task on a checkpoint. */
export const CheckpointTask = Named("CheckpointTask", {
  task: Type.Enum(["create", "verify", "upload"]),
  id: Type.String({description: "Empty until known"}),
  state: Type.Enum(["running", "done", "failed"]),
  step: Type.String({description: "The current step"}),
  done: Type.Integer({description: "Bytes of this step that are done"}),
  total: Type.Integer({description: "All bytes of this step; 0 if unknown"}),
  problem: orNull(Type.Object({code: Type.String(), detail: Type.String(), hint: Type.String()})),
})
export type CheckpointTask = Static<typeof CheckpointTask>

export const LastTask = Named("LastTask", {task: orNull(CheckpointTask)})

/** The newest verified checkpoint, in the status and the readiness report. Null if there is none yet. */
export const NewestCheckpoint = orNull(
  Named("NewestCheckpoint", {
    id: Type.String(),
    createdAt: Time("The moment whose state it holds"),
    age: Type.Integer({description: "Seconds"}),
  }),
)
export type NewestCheckpoint = Static<typeof NewestCheckpoint>

/** The last failed attempt, in status and readiness report. Null after a verified checkpoint, and before one. */
export const CheckpointFailure = orNull(
  Named("CheckpointFailure", {
    at: Time("When it happened"),
    checkpoint: orNull(Type.String()),
    code: Type.String({description: "Problem code"}),
    detail: Type.String({private: true}),
  }),
)
export type CheckpointFailure = Static<typeof CheckpointFailure>
