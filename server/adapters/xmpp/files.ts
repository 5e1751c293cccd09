import {refused, retryAfter, type Sender, type StoredFile} from "../../../shared/sdk/sdk.ts"
import {discover, discoverItems} from "./stream/discover.ts"
import {outcomeOf, StanzaFailure} from "./stream/failures.ts"
import {domainOf} from "./stream/jid.ts"
import {ns} from "./stream/names.ts"
import type {Session} from "./stream/session.ts"

/** The service for uploads. */
export interface UploadService {
  readonly jid: string
  /** The largest file, in bytes, if the service reports it. */
  readonly limit: number | undefined
}

interface Slot {
  readonly put: URL
  readonly headers: Readonly<Record<string, string>>
  readonly get: string
}

/** Returns the server's service for HTTP File Upload (XEP-0363); undefined if it has none. */
export const findUploads = async (session: Session, signal?: AbortSignal): Promise<UploadService | undefined> => {
  const domain = domainOf(session.own)
  const items = await discoverItems(session, domain, signal)
  for (const jid of [domain, ...items.slice(0, 50)]) {
    const found = await discover(session, jid, signal).catch(error => {
      if (error instanceof StanzaFailure) return undefined
      throw error
    })
    if (found?.features.has(ns.upload) !== true) continue
    const limit = Number(found.fields.get(`${ns.upload} max-file-size`) ?? Number.NaN)
    return {jid, limit: Number.isNaN(limit) ? undefined : limit}
  }
  return undefined
}

/**
 * Uploads files to the server's upload service. The adapter also reads that service's files, because the Host reads no
 * address of a private network.
 */
export const fileActs = (session: Session): Required<Pick<Sender, "upload" | "download">> => {
  let service: Promise<UploadService | undefined> | undefined
  let origin: Promise<string | undefined> | undefined
  const find = () => {
    service ??= findUploads(session)
    // A retry asks again.
    service.catch(() => {
      service = undefined
    })
    return service
  }
  /** The origin of the service's files, learned from an unused upload slot. */
  const findOrigin = async () => {
    const found = await find()
    if (found === undefined) return undefined
    const slot = await askSlot(session, found, {name: "file.txt", size: 1, type: "text/plain"})
    return new URL(slot.get).origin
  }
  return {
    upload: async ({file}, signal) => {
      const found = await find()
      if (found === undefined)
        throw refused("the server accepts no files", {
          reason: "unsupported",
          remediation: "Turn on HTTP File Upload (XEP-0363) on the server.",
        })
      if (found.limit !== undefined && file.size > found.limit)
        throw refused(`${file.name} has ${file.size} bytes; the server accepts ${found.limit}`, {
          reason: "file_too_large",
          remediation: "Send a smaller file, or raise the limit of the server's upload service.",
        })
      const slot = await askSlot(session, found, file, signal)
      await put(slot, file, signal)
      return slot.get
    },
    download: async ({src}, signal) => {
      if (src === undefined || !URL.canParse(src)) return undefined
      origin ??= findOrigin()
      origin.catch(() => {
        origin = undefined
      })
      if (new URL(src).origin !== (await origin.catch(() => undefined))) return undefined
      return fetch(src, {signal, redirect: "manual"})
    },
  }
}

const askSlot = async (
  session: Session,
  {jid}: UploadService,
  {name, size, type}: Pick<StoredFile, "name" | "size" | "type">,
  signal?: AbortSignal,
): Promise<Slot> => {
  const request = session.xml("request", {
    xmlns: ns.upload,
    filename: name,
    size: String(size),
    "content-type": type,
  })
  const answer = await session.iq("get", jid, request, signal).catch(error => {
    throw outcomeOf(`upload of ${name}`, error)
  })
  const slot = answer.getChild("slot", ns.upload)
  const [put, get] = [slot?.getChild("put"), slot?.getChild("get")?.attrs.url]
  const url = put?.attrs.url
  if (url === undefined || get === undefined || !/^https?:/i.test(url) || !/^https?:/i.test(get))
    throw new Error(`${jid} returned no address for ${name}`)
  const headers = put?.getChildren("header").map(header => [header.attrs.name ?? "", header.getText()] as const) ?? []
  return {put: new URL(url), get: new URL(get).href, headers: Object.fromEntries(headers.filter(isAllowed))}
}

/** The headers that a slot may require (XEP-0363, section 5). */
const isAllowed = ([name, value]: readonly [string, string]): boolean =>
  /^(authorization|cookie|expires)$/i.test(name) && !/[\r\n]/.test(value)

const put = async ({put: url, headers}: Slot, file: StoredFile, signal: AbortSignal): Promise<void> => {
  const answer = await fetch(url, {
    method: "PUT",
    signal,
    redirect: "error",
    // The service accepts exactly the requested size, and no chunked transfer.
    headers: {...headers, "content-length": String(file.size), "content-type": file.type},
    body: file.stream(),
    duplex: "half",
  } as RequestInit)
  await answer.body?.cancel()
  const {status} = answer
  if (status >= 200 && status < 300) return
  if (status === 429 || status === 503)
    throw retryAfter(answer.headers.get("retry-after"), `the upload service answered ${status}`)
  if (status < 500)
    throw refused(`the upload service refused ${file.name}: ${status}`, {
      reason: "file_refused",
      remediation: "Ask the server's operators which files the service accepts.",
    })
  throw new Error(`the upload service answered ${status}`)
}
