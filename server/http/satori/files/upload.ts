import {typeOfName} from "../../../../shared/media-types.ts"
import {Problem} from "../../../../shared/problems.ts"
import {cleanName} from "../../../../shared/sdk/files/name.ts"
import type {FileStore, Received} from "../../../outbox/files/store.ts"
import {limits} from "../../../runtime/runtime.ts"
import {UploadBody, type UploadLimits} from "../../../runtime/sockets/upload-body.ts"
import {storedLink} from "../protocol/links.ts"
import type {KnownLogin} from "../protocol/protocol.ts"
import {boundaryOf, type Part, partsOf} from "./multipart.ts"

const uploadTooLarge = (bytes: number): Problem =>
  new Problem("file_too_large", `the body is larger than ${bytes} bytes, the limit of one upload`, {
    hint: "Send the files in several uploads, or smaller ones.",
  })

const uploadLimits: UploadLimits = {
  bytes: limits.upload,
  tooLarge: uploadTooLarge,
  time: limits.uploadTimeout,
  idle: 30_000,
  // Over a fast line, svc drops a whole body sooner than its sender stops writing.
  dropped: {bytes: limits.upload, time: 10_000},
}

/** How many files one upload may have. */
const most = 20

interface Uploaded {
  readonly field: string
  readonly name: string
  readonly received: Received
}

type Receiver = Pick<FileStore, "receive" | "lease">

/** Writes an application's files as they arrive, and stores them when all are complete. Resolves to links by field. */
export const upload = async (
  request: Request,
  files: Receiver,
  login: KnownLogin,
): Promise<Readonly<Record<string, string>>> => {
  const uploaded: Uploaded[] = []
  const lease = files.lease()
  try {
    await receiveAll(request, files, uploaded)
    const links = new Map<string, string>()
    for (const {field, name, received} of uploaded) {
      const {sha256} = await received.keep(lease)
      links.set(freeField(field, links), storedLink(login, sha256, name))
    }
    return Object.fromEntries(links)
  } finally {
    for (const {received} of uploaded) await received.drop()
    lease.release()
  }
}

const receiveAll = async (request: Request, files: Receiver, uploaded: Uploaded[]): Promise<void> => {
  const boundary = boundaryOf(request.headers.get("content-type"))
  if (boundary === undefined)
    throw new Problem("unsupported_media_type", "an upload must be multipart/form-data with a boundary", {
      hint: "Send each file as a field of a form: curl -F file=@cat.png.",
    })
  if (Number(request.headers.get("content-length") ?? 0) > uploadLimits.bytes) throw uploadTooLarge(uploadLimits.bytes)
  if (request.body === null) throw new Problem("request_invalid", "the form is not valid: it is empty")
  const body = new UploadBody(request.body, uploadLimits, request.signal)
  try {
    for await (const part of partsOf(() => body.read(), boundary)) {
      if (uploaded.length === most) throw new Problem("request_invalid", `one upload may have at most ${most} files`)
      uploaded.push({field: part.name, name: nameOf(part), received: await files.receive(part.pieces)})
    }
  } finally {
    await body.drop()
  }
}

/** Returns a safe file name. Its extension shows the media type: some readers get the type from nowhere else. */
const nameOf = ({name: field, filename, type = ""}: Part): string => {
  const known = cleanName((filename ?? field).split(/[/\\]/).at(-1) ?? "") || "file"
  if (typeOfName(known) !== undefined) return known
  const [, end] = /^(?:image|audio|video)\/([a-z0-9]{2,5})\s*(?:;|$)/i.exec(type) ?? []
  return end === undefined ? known : `${known}.${end.toLowerCase()}`
}

/** Returns an unused field name. Koishi sends several files under one name, and none may be lost. */
const freeField = (field: string, taken: ReadonlyMap<string, string>): string => {
  let free = field
  for (let number = 2; taken.has(free); number++) free = `${field}-${number}`
  return free
}
