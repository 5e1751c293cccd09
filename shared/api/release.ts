import {Named, NamedClosed, Optional, orNull, type Static, Time, Type} from "../type.ts"
import {BuildIdentity} from "./build.ts"

/** What a release can roll back to: the recorded state from before it. */
export const RestorePoint = Named("RestorePoint", {
  checkpoint: Type.String({description: "The checkpoint made and verified for the release"}),
  authority: Type.String(),
  commit: orNull(Type.String({description: "The commit of the project's git work tree, or the value of SVC_COMMIT"})),
  image: orNull(Type.String({description: "The value of SVC_IMAGE"})),
  lockfile: orNull(Type.Object({name: Type.String(), sha256: Type.String()})),
  configuration: Type.Object({
    sha256: Type.String(),
    generation: orNull(Type.Integer({description: "The newest committed generation"})),
  }),
  schema: Type.Integer({description: "Schema version of the database"}),
  version: Type.String({description: "Version of svc"}),
})
export type RestorePoint = Static<typeof RestorePoint>

export const ReleaseStep = Named("ReleaseStep", {
  name: Type.Enum(["worktree", "install", "doctor", "build", "test", "start"]),
  ok: Type.Boolean(),
  skipped: Type.Boolean({description: "True if there was nothing to do, for example no build script"}),
  seconds: Type.Number(),
  command: Type.String(),
  detail: Type.String({private: true, description: "Why it failed or was skipped: the end of its output"}),
  output: Optional.String({private: true, description: "The file with its complete output, in the project"}),
})
export type ReleaseStep = Static<typeof ReleaseStep>

export const ReleaseVerification = NamedClosed("ReleaseVerification", {
  commit: orNull(Type.String({description: "The verified commit; null if the project is not a git work tree"})),
  copy: Optional.String({description: "Without git: SHA-256 of the verified files"}),
  build: Type.Optional(BuildIdentity),
  ok: Type.Boolean(),
  steps: Type.Array(ReleaseStep),
})
export type ReleaseVerification = Static<typeof ReleaseVerification>

const entry = <const Is extends string, P extends Record<string, Parameters<typeof Type.Union>[0][number]>>(
  is: Is,
  properties: P,
) =>
  Type.Object({
    is: Type.Literal(is),
    seq: Type.Integer({minimum: 1}),
    at: Time("When it was recorded"),
    release: Type.String({description: "Id of the release"}),
    ...properties,
  })

const rolledBack = {
  checkpoint: Type.String(),
  authority: Type.String({description: "The new authority"}),
  before: Type.String({description: "The authority of the checkpoint"}),
  commit: orNull(Type.String({description: "The commit that the code was rolled back to"})),
  sideEffects: Type.Integer({description: "Messages sent since the checkpoint, which the operator accepted"}),
}

/** The entry that the process which finishes a rollback records. */
export const RolledBack = Type.Object({is: Type.Literal("rolled_back"), release: Type.String(), ...rolledBack})
export type RolledBack = Static<typeof RolledBack>

/** A line of `.svc/releases.jsonl`. */
export const ReleaseEntry = Type.Union([
  entry("beginning", {}),
  entry("begin_failed", {code: Type.String(), detail: Type.String({private: true})}),
  entry("begun", {restorePoint: RestorePoint}),
  entry("verified", {verification: ReleaseVerification}),
  entry("completed", {
    acceptedBy: Type.String({private: true, description: "The person who accepted the release at the console"}),
    unverified: orNull(Type.String({description: "Why it was completed without a passed verification"})),
    commit: orNull(Type.String({description: "The commit that runs from now on"})),
    build: Type.Optional(BuildIdentity),
    generation: orNull(Type.Integer()),
    runtimeId: Type.String(),
    windowEnds: Time("Until then svc keeps the checkpoint of the release"),
  }),
  entry("aborted", {reason: Type.String()}),
  entry("ingress_resumed", {}),
  entry("rolled_back", rolledBack),
])
export type ReleaseEntry = Static<typeof ReleaseEntry>

export const releaseStates = ["beginning", "begun", "observing", "complete", "aborted", "rolled_back"] as const

/** A release, computed from its entries. */
export const ReleaseView = Named("ReleaseView", {
  id: Type.String(),
  state: Type.Enum([...releaseStates], {
    description:
      "beginning: the checkpoint is being made, or failed. observing: complete, and its observation window is open.",
  }),
  beganAt: Time("When it was requested"),
  endedAt: orNull(Time("When it was completed, aborted or rolled back")),
  restorePoint: orNull(RestorePoint),
  problem: orNull(Type.Object({code: Type.String(), detail: Type.String({private: true})})),
  verification: orNull(ReleaseVerification),
  build: orNull(Type.String({description: "Id of the build that was completed"})),
  acceptedBy: orNull(Type.String({private: true})),
  unverified: orNull(Type.String({private: true})),
  windowEnds: orNull(Time("End of the observation window")),
  windowLeft: Type.Integer({description: "Remaining seconds of the observation window"}),
  reason: orNull(Type.String({private: true, description: "Why it was aborted"})),
})
export type ReleaseView = Static<typeof ReleaseView>
