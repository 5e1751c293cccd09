import {serve} from "../../../shared/api/operations/operation.ts"
import {checkpointOperations} from "../../../shared/api/operations/recovery.ts"
import {Problem} from "../../../shared/problems.ts"
import {pageOf} from "../../database/lists/pages.ts"
import {limits} from "../../runtime/runtime.ts"
import {UploadBody, type UploadLimits} from "../../runtime/sockets/upload-body.ts"
import {streamArchive} from "../checkpoint/archive.ts"
import {detailOf, viewOf} from "../checkpoint/store.ts"
import type {Checkpoints} from "../checkpoints.ts"
import type {Uploads} from "../upload/uploads.ts"

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

export const checkpointRoutes = (checkpoints: Checkpoints, uploads: Uploads) =>
  serve(checkpointOperations, {
    list: async asked => pageOf((await checkpoints.store.list()).checkpoints.map(viewOf), asked),
    task: () => ({task: checkpoints.task}),
    upload: () => ({task: uploads.task}),
    receive: async ({request}) => {
      uploads.requireFree()
      const size = Number(request.headers.get("content-length") ?? 0)
      if (size > uploadLimits.bytes) throw uploadLimits.tooLarge(uploadLimits.bytes)
      const sent = request.body ?? new Blob([]).stream()
      const body = new UploadBody(sent, uploadLimits, AbortSignal.any([request.signal, uploads.closing]))
      try {
        return await uploads.receive(body.pieces(), size)
      } finally {
        await body.drop()
      }
    },
    show: async ({params}) => detailOf(await checkpoints.store.get(params.id)),
    download: async ({params, call}) => {
      const stored = await checkpoints.store.get(params.id)
      return new Response(await streamArchive(stored), {
        headers: {
          "cache-control": "no-store",
          "content-disposition": `attachment; filename="${stored.id}.tar"`,
          "content-type": checkpointOperations.download.about.answer,
          "x-content-type-options": "nosniff",
          "x-request-id": call.requestId,
        },
      })
    },
    create: ({body: {externalRestorePoint: restorePoint, verify = true}}) =>
      checkpoints.begin({reason: "operator", verify, ...(restorePoint === undefined ? {} : {restorePoint})}),
    verify: ({params}) => checkpoints.beginVerify(params.id),
    prune: async ({body}) => ({removed: await checkpoints.prune(body.keep)}),
  })
