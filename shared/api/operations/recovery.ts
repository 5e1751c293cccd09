import {Named, NamedClosed, Optional, Type} from "../../type.ts"
import {CheckpointDetail, CheckpointRequest, CheckpointTask, CheckpointView, LastTask} from "../checkpoint.ts"
import {ReleaseVerification, ReleaseView} from "../release.ts"
import {get, pages, post, put} from "./operation.ts"

/** The operations on checkpoints and releases. A whole checkpoint has the data of all users: only an owner gets it. */

export const checkpointOperations = {
  list: pages("/api/checkpoints", "demo", CheckpointView, "Checkpoints, newest first"),
  task: get("/api/checkpoints/task", "demo", {summary: "The current or last checkpoint task", answer: LastTask}),
  upload: get("/api/checkpoints/archive", "demo", {summary: "The current or last upload task", answer: LastTask}),
  receive: put("/api/checkpoints/archive", "owner", {
    summary:
      "Upload a checkpoint as one archive, .tar or .tar.gz; the Host then verifies and stores it, and GET on this path shows the progress",
    answer: CheckpointTask,
    status: 202,
    problems: [
      "checkpoint_busy",
      "checkpoint_invalid",
      "checkpoint_newer",
      "checkpoint_differs",
      "checkpoint_too_large",
      "checkpoint_no_space",
      "checkpoint_secret",
      "checkpoint_failed",
      "request_timeout",
    ],
    stream: true,
    streamsBody: true,
  }),
  show: get("/api/checkpoints/:id", "viewer", {
    summary: "One checkpoint with its manifest and its verification's findings; the id newest names the newest",
    answer: CheckpointDetail,
    problems: ["checkpoint_unknown", "checkpoint_invalid", "checkpoint_newer"],
  }),
  download: get("/api/checkpoints/:id/archive", "owner", {
    summary: "A verified checkpoint as one tar archive; the manifest comes last, so a truncated archive is never valid",
    answer: "application/x-tar",
    problems: [
      "checkpoint_unknown",
      "checkpoint_invalid",
      "checkpoint_newer",
      "checkpoint_failed",
      "checkpoint_secret_in_data",
    ],
    stream: true,
  }),
  create: post("/api/checkpoints", "operator", {
    summary: "Start to make and verify a checkpoint; /api/checkpoints/task shows the progress",
    body: CheckpointRequest,
    answer: CheckpointTask,
    status: 202,
    problems: ["checkpoint_busy", "checkpoint_failed", "restore_point_missing"],
  }),
  verify: post("/api/checkpoints/:id/verify", "operator", {
    summary: "Start to verify a checkpoint; /api/checkpoints/task shows the progress",
    answer: CheckpointTask,
    status: 202,
    problems: ["checkpoint_busy", "checkpoint_unknown", "checkpoint_invalid", "checkpoint_newer"],
  }),
  prune: post("/api/checkpoints/prune", "operator", {
    summary: "Remove all but the newest checkpoints",
    body: NamedClosed("PruneRequest", {
      keep: Type.Integer({
        minimum: 1,
        description:
          "How many of the newest to keep; the newest verified one always stays, and uploaded ones are counted separately",
      }),
    }),
    answer: Named("Pruned", {removed: Type.Array(Type.String(), {description: "Ids, newest first"})}),
    problems: ["checkpoint_busy"],
  }),
}

export const releaseOperations = {
  list: pages("/api/releases", "demo", ReleaseView, "Releases and rollbacks, newest first", ["release_record_damaged"]),
  begin: post("/api/releases", "owner", {
    summary:
      "Begin a release: pause ingress, then make and verify its checkpoint; the first release of the list shows when it has begun",
    body: NamedClosed("BeginRequest", {externalRestorePoint: CheckpointRequest.properties.externalRestorePoint}),
    answer: ReleaseView,
    status: 202,
    problems: ["release_refused", "checkpoint_busy", "release_record_damaged"],
  }),
  verified: post("/api/releases/verification", "owner", {
    summary: "Record the findings of a verification of the release under way",
    body: ReleaseVerification,
    answer: ReleaseView,
    problems: ["release_refused", "release_record_damaged"],
  }),
  complete: post("/api/releases/complete", "owner", {
    summary: "Complete the release under way: ingress opens and the observation window begins",
    body: NamedClosed("CompleteRequest", {
      acceptedBy: Type.String({minLength: 1, maxLength: 200, description: "Who accepted the release at the console"}),
      window: Optional.String({pattern: "^[0-9]+(s|m|h|d)$", description: "Observation window"}),
      unverified: Optional.String({minLength: 1, maxLength: 500, description: "Why it completes without verification"}),
    }),
    answer: ReleaseView,
    problems: ["release_refused", "release_not_verified", "release_not_ready", "release_record_damaged"],
  }),
  abort: post("/api/releases/abort", "owner", {
    summary: "Abort the release under way: ingress opens",
    body: NamedClosed("AbortRequest", {
      reason: Optional.String({minLength: 1, maxLength: 500, description: "Why it is aborted"}),
    }),
    answer: ReleaseView,
    problems: ["release_refused", "release_record_damaged"],
  }),
}
