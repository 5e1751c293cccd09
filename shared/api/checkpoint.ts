import {type Static, Type} from "../type.ts"
import {BuildIdentity} from "./build.ts"
import {Named, orNull, Time} from "./schemas.ts"

/** The newest format of checkpoints that this version writes and reads. */
export const checkpointFormat = 2

const Sha256 = (description: string) => Type.String({pattern: "^[0-9a-f]{64}$", description})

/** Sorts by time: `20261121-101500-3f9a1c`. */
export const checkpointIdPattern = "^[0-9]{8}-[0-9]{6}-[0-9a-f]{6}$"

const closed = {additionalProperties: false} as const

const CheckpointFile = Named(
  "CheckpointFile",
  {
    path: Type.String({minLength: 1, description: "In the checkpoint, with slashes"}),
    size: Type.Integer({minimum: 0}),
    sha256: Sha256("Of its bytes"),
  },
  closed,
)
export type CheckpointFile = Static<typeof CheckpointFile>

/** `manifest.json`: what a checkpoint is of, and every file of it. Written last: what has none is no checkpoint. */
export const Manifest = Named(
  "Manifest",
  {
    format: Type.Integer({minimum: 1}),
    id: Type.String({pattern: checkpointIdPattern}),
    createdAt: Time("The moment that it holds"),
    reason: Type.String({minLength: 1, description: "Who asked: operator, schedule, or what else was about to happen"}),
    project: Type.String(),
    authority: Type.String({minLength: 1}),
    runtimeId: orNull(Type.String({description: "Of the Host that made it; null for one made beside a stopped Host"})),
    generation: orNull(Type.Integer({minimum: 0, description: "The newest that was committed"})),
    version: Type.String({description: "Of svc"}),
    build: Type.Optional(BuildIdentity),
    code: Type.Object(
      {
        commit: orNull(Type.String({description: "Of the project's git work tree, or what SVC_COMMIT said"})),
        clean: orNull(
          Type.Boolean({description: "Was everything committed, but for the configuration, which it has?"}),
        ),
        image: orNull(Type.String({description: "What SVC_IMAGE said"})),
      },
      closed,
    ),
    configuration: Type.Object({file: Type.String(), sha256: Sha256("The configuration's version")}, closed),
    lockfile: orNull(Type.Object({name: Type.String(), sha256: Sha256("Of the lockfile")}, closed)),
    database: Type.Object(
      {
        dialect: Type.Enum(["sqlite", "libsql"]),
        schema: Type.Integer({minimum: 1}),
        file: orNull(Type.String({description: "Relative to the project; absolute where it is outside"})),
        restorePoint: orNull(Type.String({description: "Dialect libsql: the id of its own backup"})),
      },
      closed,
    ),
    parts: Type.Record(Type.String(), Type.Unknown(), {
      description: "What each other part says of itself at the marker",
    }),
    secrets: Type.Array(Type.String(), {description: "Names of the variables whose values are not in it"}),
    files: Type.Array(CheckpointFile),
    seal: Sha256("Of this document without the seal"),
  },
  closed,
)
export type Manifest = Static<typeof Manifest>

/** What somebody found who verified a checkpoint. */
export const Verification = Named("Verification", {
  at: Time("When"),
  ok: Type.Boolean(),
  findings: Type.Array(Type.String(), {description: "Why it is not one to restore"}),
  warnings: Type.Array(Type.String(), {
    description: "What is to be dealt with, and does not keep it from being restored",
  }),
  manifest: Sha256("Of the manifest that was verified"),
  seconds: Type.Number(),
})
export type Verification = Static<typeof Verification>

const CheckpointState = Type.Enum(["complete", "verified", "refused"], {
  description: "complete: nobody verified it yet. refused: whoever verified it found it not fit to restore.",
})

export const CheckpointView = Named("CheckpointView", {
  id: Type.String(),
  createdAt: Time("The moment that it holds"),
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
    Time("When it was uploaded; null for one that was made here. An uploaded one is no backup of this project"),
  ),
})
export type CheckpointView = Static<typeof CheckpointView>

export const CheckpointDetail = Named("CheckpointDetail", {
  ...CheckpointView.properties,
  manifest: Manifest,
  verification: orNull(Verification),
})
export type CheckpointDetail = Static<typeof CheckpointDetail>

export const CheckpointRequest = Named(
  "CheckpointRequest",
  {
    externalRestorePoint: Type.Optional(
      Type.String({minLength: 1, description: "Dialect libsql: the id of the backup that its own tool has made"}),
    ),
    verify: Type.Optional(Type.Boolean({default: true, description: "Verify it once it is made"})),
  },
  closed,
)

/** What the Host is doing about a checkpoint, or did last. */
export const CheckpointTask = Named("CheckpointTask", {
  task: Type.Enum(["create", "verify", "upload"]),
  id: Type.String({description: "Empty until it is known"}),
  state: Type.Enum(["running", "done", "failed"]),
  step: Type.String({description: "What is being done"}),
  done: Type.Integer({description: "Bytes of this step"}),
  total: Type.Integer({description: "Bytes of this step; 0 where it is not known"}),
  problem: orNull(Type.Object({code: Type.String(), detail: Type.String(), hint: Type.String()})),
})
export type CheckpointTask = Static<typeof CheckpointTask>

/** In status and readiness report: null where no checkpoint was verified yet. */
export const NewestCheckpoint = orNull(
  Named("NewestCheckpoint", {
    id: Type.String(),
    createdAt: Time("The moment that it holds"),
    age: Type.Integer({description: "Seconds"}),
  }),
)
export type NewestCheckpoint = Static<typeof NewestCheckpoint>

/** In status and readiness report: null where the last attempt has led to a verified checkpoint, and before the first. */
export const CheckpointFailure = orNull(
  Named("CheckpointFailure", {
    at: Time("When"),
    checkpoint: orNull(Type.String()),
    code: Type.String({description: "Problem code"}),
    detail: Type.String({private: true}),
  }),
)
export type CheckpointFailure = Static<typeof CheckpointFailure>
