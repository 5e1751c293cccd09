import {Problem} from "../../../shared/problems.ts"
import type {FileRef} from "../../../shared/sdk/adapter/sender.ts"
import type {Node} from "../../../shared/sdk/content/elements.ts"
import {fetchLimits} from "../../../shared/sdk/content/file-source.ts"
import type {ReadOptions, SessionFile} from "../../../shared/sdk/files/session-file.ts"
import {boundedStream, type Source} from "../../runtime/outgoing/bounded-stream.ts"
import {openDataUrl} from "../files/data-url.ts"
import {describeFile, fileElements} from "../files/describe.ts"
import type {OpenWork} from "./open-work.ts"
import type {EndpointActs, SessionOptions} from "./options.ts"

/** Opens the files of one event for one handler. `message` is the platform's id of the message that has them. */
export const openFiles = (
  options: SessionOptions,
  work: OpenWork,
  elements: readonly Node[],
  message: string | undefined,
): readonly SessionFile[] => {
  const ended = new AbortController()
  const close = () => ended.abort(work.late())
  options.signal.addEventListener("abort", close, {once: true})
  // Cancels the open reads.
  work.onEnd(close)
  const {channel} = options.stored.event
  const place = {...(channel === undefined ? {} : {channel: channel.id}), ...(message === undefined ? {} : {message})}
  return fileElements(elements).map((element): SessionFile => {
    const known = describeFile(element)
    const {src} = known
    const file = {element, ...(src === undefined ? {} : {src}), ...place}
    const read = async (given?: ReadOptions) => {
      work.requireOpen()
      return readFile(file, readLimit(given), options, ended.signal)
    }
    return {...known, read}
  })
}

const readFile = async (
  file: FileRef,
  limit: number,
  {stored: {endpoint}, endpoints, privateHosts}: SessionOptions,
  ended: AbortSignal,
): Promise<ReadableStream<Uint8Array>> => {
  const source = await openFile(file, {endpoint, endpoints, privateHosts}, ended).catch(error => {
    throw ended.aborted ? ended.reason : error
  })
  const stream = boundedStream(source, {limit, signal: ended})
  ended.throwIfAborted()
  return stream
}

/** Throws `request_invalid`. */
const readLimit = ({limit = fetchLimits.usual}: ReadOptions = {}): number => {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= fetchLimits.most) return limit
  throw new Problem("request_invalid", `limit must be a whole number of bytes from 1 to ${fetchLimits.most}`)
}

interface OpenFileOptions extends Pick<SessionOptions, "privateHosts"> {
  readonly endpoint: string
  readonly endpoints: Pick<EndpointActs, "download">
}

/**
 * Opens a received file: through the adapter if it accepts the file, otherwise through the Host. Throws
 * `endpoint_offline`, `platform_failed`, `file_refused`, `file_unavailable`, and the signal's reason.
 */
export const openFile = async (
  file: FileRef,
  {endpoint, endpoints, privateHosts}: OpenFileOptions,
  signal: AbortSignal,
): Promise<Source> => {
  const taken = await endpoints.download(endpoint, file, signal)
  if (taken !== undefined) return taken
  const {src} = file
  if (src === undefined) throw notOurs(`the ${file.element.type} has no address`)
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(src)?.[1]?.toLowerCase()
  switch (scheme) {
    case "data":
      return openDataUrl(src)
    case "http":
    case "https": {
      // Loaded at first use, because few handlers read files.
      const {openUrl} = await import("../../runtime/outgoing/open-url.ts")
      return openUrl(src, {signal, allowPrivate: privateHosts()})
    }
    default:
      throw notOurs(scheme === undefined ? "its address is not a URL" : `the Host cannot read ${scheme}: addresses`)
  }
}

const notOurs = (why: string): Problem =>
  new Problem("file_refused", why, {
    hint: "Only the platform's adapter can read it. Give the adapter the feature download, or let it put an https: address into the element.",
  })
