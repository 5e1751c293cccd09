import {typeOfName} from "../../../../shared/media-types.ts"
import {Problem} from "../../../../shared/problems.ts"
import type {FileRef} from "../../../../shared/sdk/adapter/sender.ts"
import {fileHeaders} from "../../../../shared/sdk/files/headers.ts"
import {describeFile} from "../../../messages/files/describe.ts"
import {openFile} from "../../../messages/session/files.ts"
import {boundedStream, type Source} from "../../../runtime/outgoing/bounded-stream.ts"
import {limits} from "../../../runtime/runtime.ts"
import {fileOfEvent} from "../protocol/events.ts"
import {type Link, readLink} from "../protocol/links.ts"
import type {FileServices} from "./services.ts"

interface Opened extends Source {
  readonly name: string
  /** The number of bytes, if it is certain. A platform's size may belong to other bytes. */
  readonly length?: number
}

const routes = {
  /** `/proxy/{url}`, from Satori v1. */
  proxy: {marker: "/satori/v1/proxy/", prefix: ""},
  /** `/internal/{platform}/{user}/{path}`, which Koishi requests. */
  internal: {marker: "/satori/v1/internal/", prefix: "internal:"},
} as const

export const openLink = async (
  how: keyof typeof routes,
  {url, signal}: Request,
  services: FileServices,
): Promise<Response> => {
  const {marker, prefix} = routes[how]
  const link = linkOf(`${prefix}${behind(url, marker)}`)
  const {name, type = typeOfName(name), length, ...source} = await open(link, services, signal)
  const stream = boundedStream(source, {limit: limits.upload, signal})
  return new Response(stream, {headers: {...fileHeaders({name, type}), ...lengthOf(length)}})
}

const lengthOf = (length: number | undefined) => (length === undefined ? {} : {"content-length": String(length)})

/** Returns the path after the marker as the client sent it. Decodes it if the client encoded all of it. */
const behind = (url: string, marker: string): string => {
  const [path = ""] = url.split(/[?#]/, 1)
  const rest = path.slice(path.indexOf(marker) + marker.length)
  return /^[a-z][a-z0-9+.-]*%3a/i.test(rest) ? decodeURIComponent(rest) : rest
}

const linkOf = (text: string): Link => {
  const link = readLink(text)
  if (link !== undefined) return link
  if (/^internal:/.test(text)) throw notFound()
  if (URL.canParse(text))
    throw new Problem("forbidden", "the Host proxies only internal: links: proxy_urls is empty", {
      hint: "Fetch other addresses directly.",
    })
  throw new Problem("request_invalid", "the proxy needs an internal: link after /proxy/")
}

const notFound = () =>
  new Problem("not_found", "this link leads to no file", {hint: "The file or its message no longer exists."})

const open = async (link: Link, services: FileServices, signal: AbortSignal): Promise<Opened> => {
  if (link.is === "stored") return openStored(link, services)
  const login = services.logins.find(link.platform, link.user)
  if (login === undefined) throw notFound()
  const {endpoint} = login
  if (link.is === "adapter") return openOwn(endpoint, link.src, services, signal)
  const file = await fileOfEvent(services.database, endpoint, link)
  if (file === undefined) throw notFound()
  return {...(await openFile(file, {endpoint, ...services}, signal)), ...known(file)}
}

const known = ({element}: FileRef) => {
  const {name, type} = describeFile(element)
  return {name, ...(type === undefined ? {} : {type})}
}

const openStored = async ({sha256, name}: Link & {is: "stored"}, {files}: FileServices): Promise<Opened> => {
  if ((await files.folder.sizeOf(sha256)) === undefined) throw notFound()
  const stored = await files.open(sha256)
  return {body: stored.stream(), length: stored.size, name: name ?? stored.name}
}

/** Opens a link that the adapter created itself. Only that adapter can open it. */
const openOwn = async (
  endpoint: string,
  src: string,
  {endpoints}: FileServices,
  signal: AbortSignal,
): Promise<Opened> => {
  const file = {element: {type: "file", attrs: {src}, children: []}, src}
  const source = await endpoints.download(endpoint, file, signal)
  if (source === undefined) throw notFound()
  return {...source, ...known(file)}
}
