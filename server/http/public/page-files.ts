import {Problem} from "../../../shared/problems.ts"
import type {PageFile, PageFiles} from "../../generation/plugins/page-folder.ts"
import {decodePercent} from "../../runtime/text/percent.ts"
import {isKnown} from "../console/pages.ts"

/** Answers with a file by its path below the page's folder; a path that ends with `/` is its `index.html`. */
export const answerFile = (files: PageFiles, path: string, request: Request): Response => {
  if (request.method !== "GET") throw new Problem("method_not_allowed", "a folder of files answers GET and HEAD only")
  const name = decodePercent(path)
  const file = files.get(name === "" || name.endsWith("/") ? `${name}index.html` : name)
  if (file !== undefined) return serveFile(file, request.headers)
  if (name === "" || !files.has(`${name}/index.html`)) throw new Problem("not_found", "there is no such file")
  return toFolder(request.url)
}

/** A page refers to its files relative to its folder. */
export const toFolder = (url: string): Response => {
  const {pathname, search} = new URL(url)
  return new Response(null, {status: 308, headers: {location: `./${pathname.split("/").at(-1)}/${search}`}})
}

const serveFile = ({type, etag, bytes}: PageFile, asked: Headers): Response => {
  const headers = {etag, "content-type": type, "cache-control": "no-cache", "accept-ranges": "bytes"}
  if (isKnown(asked.get("if-none-match"), etag)) return new Response(null, {status: 304, headers})
  const range = asked.has("if-range") && asked.get("if-range") !== etag ? undefined : rangeOf(asked, bytes.length)
  if (range === undefined) return new Response(bytes, {headers})
  if (range === "none")
    return new Response(null, {status: 416, headers: {...headers, "content-range": `bytes */${bytes.length}`}})
  const [from, to] = range
  const part = {...headers, "content-range": `bytes ${from}-${to}/${bytes.length}`}
  return new Response(bytes.subarray(from, to + 1), {status: 206, headers: part})
}

/** Returns the first and last byte that are asked for; undefined for all, as for several ranges (RFC 9110, 14.2). */
const rangeOf = (asked: Headers, size: number): readonly [number, number] | "none" | undefined => {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(asked.get("range") ?? "") ?? []
  if (first === "" && last === "") return undefined
  const from = first === "" ? Math.max(size - Number(last), 0) : Number(first)
  const to = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== "" && last !== "" && Number(last) < from) return undefined
  return from <= to ? [from, to] : "none"
}
