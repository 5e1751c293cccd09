import {CheckpointDetail, CheckpointRequest, CheckpointTask, CheckpointView} from "../../../shared/api/checkpoint.ts"
import {PageQuery, page} from "../../../shared/api/pages.ts"
import {Problem} from "../../../shared/problems.ts"
import {Named, NamedClosed, orNull, Type} from "../../../shared/type.ts"
import {streamArchive} from "../../recovery/checkpoint/archive.ts"
import type {Checkpoints} from "../../recovery/checkpoint/checkpoints.ts"
import {detailOf, viewOf} from "../../recovery/checkpoint/store.ts"
import type {Uploads} from "../../recovery/upload/uploads.ts"
import {limits} from "../../runtime/runtime.ts"
import {UploadBody, type UploadLimits} from "../../runtime/sockets/upload-body.ts"
import {answering, type Operation, pageOf} from "../operations.ts"

const CheckpointPage = page(CheckpointView)

const LastTask = Named("LastTask", {task: orNull(CheckpointTask)})

const PruneRequest = NamedClosed("PruneRequest", {
  keep: Type.Integer({
    minimum: 1,
    description:
      "How many of the newest to keep; the newest verified one always stays, and uploaded ones are counted separately",
  }),
})

const Pruned = Named("Pruned", {removed: Type.Array(Type.String(), {description: "Ids, newest first"})})

export const listCheckpoints = (checkpoints: Checkpoints): Operation => ({
  summary: "Checkpoints, newest first",
  query: PageQuery,
  response: {200: CheckpointPage},
  handle: async (_, call) => {
    const {checkpoints: all} = await checkpoints.store.list()
    return call.json(CheckpointPage, pageOf(all.map(viewOf), call))
  },
})

export const showCheckpointTask = (checkpoints: Checkpoints): Operation => ({
  summary: "The checkpoint task in progress, or the last one",
  response: {200: LastTask},
  handle: (_, call) => call.json(LastTask, {task: checkpoints.task}),
})

export const showCheckpoint = (checkpoints: Checkpoints): Operation => ({
  summary: "One checkpoint with its manifest and its verification's findings; the id newest names the newest",
  response: {200: CheckpointDetail},
  problems: ["checkpoint_unknown", "checkpoint_invalid", "checkpoint_newer"],
  handle: async (_, call) => call.json(CheckpointDetail, detailOf(await checkpoints.store.get(call.params.id ?? ""))),
})

export const downloadCheckpoint = (checkpoints: Checkpoints): Operation => ({
  summary: "A verified checkpoint as one tar archive; the manifest comes last, so a truncated archive is never valid",
  response: {200: "application/x-tar"},
  problems: [
    "checkpoint_unknown",
    "checkpoint_invalid",
    "checkpoint_newer",
    "checkpoint_failed",
    "checkpoint_secret_in_data",
  ],
  stream: true,
  handle: async (_, call) => {
    const stored = await checkpoints.store.get(call.params.id ?? "")
    return new Response(await streamArchive(stored), {
      headers: {
        "cache-control": "no-store",
        "content-disposition": `attachment; filename="${stored.id}.tar"`,
        "content-type": "application/x-tar",
        "x-content-type-options": "nosniff",
        "x-request-id": call.requestId,
      },
    })
  },
})

const uploadLimits: UploadLimits = {
  bytes: limits.checkpoint,
  tooLarge: bytes =>
    new Problem("checkpoint_too_large", `the archive is larger than ${bytes / 1024 ** 3} GiB`, {
      hint: "Copy it to the Host's machine, and restore it there: svc checkpoint restore <archive>.",
    }),
  time: limits.checkpointTimeout,
  idle: 30_000,
  dropped: {bytes: limits.upload, time: 10_000},
}

export const showUpload = (uploads: Uploads): Operation => ({
  summary: "The upload task in progress, or the last one",
  response: {200: LastTask},
  handle: (_, call) => call.json(LastTask, {task: uploads.task}),
})

export const uploadCheckpoint = (uploads: Uploads): Operation => ({
  summary:
    "Upload a checkpoint as one archive, .tar or .tar.gz; the Host then verifies and stores it, and GET on this path shows the progress",
  response: {202: CheckpointTask},
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
  handle: async (request, call) => {
    uploads.requireFree()
    const size = Number(request.headers.get("content-length") ?? 0)
    if (size > uploadLimits.bytes) throw uploadLimits.tooLarge(uploadLimits.bytes)
    const sent = request.body ?? new Blob([]).stream()
    const body = new UploadBody(sent, uploadLimits, AbortSignal.any([request.signal, uploads.closing]))
    try {
      return call.json(CheckpointTask, await uploads.receive(body.pieces(), size), {status: 202})
    } finally {
      await body.drop()
    }
  },
})

export const createCheckpoint = answering({
  summary: "Start to make and verify a checkpoint; /api/checkpoints/task shows the progress",
  body: CheckpointRequest,
  answer: CheckpointTask,
  status: 202,
  problems: ["checkpoint_busy", "checkpoint_failed", "restore_point_missing"],
  run: ({body: {externalRestorePoint: restorePoint, verify = true}}, checkpoints: Checkpoints) =>
    checkpoints.begin({reason: "operator", verify, ...(restorePoint === undefined ? {} : {restorePoint})}),
})

export const verifyCheckpoint = (checkpoints: Checkpoints): Operation => ({
  summary: "Start to verify a checkpoint; /api/checkpoints/task shows the progress",
  response: {202: CheckpointTask},
  problems: ["checkpoint_busy", "checkpoint_unknown", "checkpoint_invalid", "checkpoint_newer"],
  handle: async (_, call) =>
    call.json(CheckpointTask, await checkpoints.beginVerify(call.params.id ?? ""), {status: 202}),
})

export const pruneCheckpoints = answering({
  summary: "Remove all but the newest checkpoints",
  body: PruneRequest,
  answer: Pruned,
  problems: ["checkpoint_busy"],
  run: async ({body}, checkpoints: Checkpoints) => ({removed: [...(await checkpoints.prune(body.keep))]}),
})
