import {hash} from "node:crypto"
import {existsSync, readdirSync, readFileSync, realpathSync, statSync} from "node:fs"
import {extname, isAbsolute, join, relative, resolve, sep} from "node:path"
import {typeOfName} from "../../../shared/media-types.ts"

export interface PageFile {
  /** Its media type. */
  readonly type: string
  readonly etag: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** By their path below the folder, with `/`. */
export type PageFiles = ReadonlyMap<string, PageFile>

/** The most files of a folder, and their most bytes together: the Host keeps them in memory. */
const most = {files: 1000, bytes: 16 * 1024 * 1024} as const

/** The types of files that only browsers load. */
const ofBrowsers: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".map": "application/json",
  ".webmanifest": "application/manifest+json",
  ".wasm": "application/wasm",
  ".ico": "image/x-icon",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
}

const typeOf = (name: string): string => {
  const type = ofBrowsers[extname(name).toLowerCase()] ?? typeOfName(name) ?? "application/octet-stream"
  return type.startsWith("text/") ? `${type};charset=UTF-8` : type
}

/**
 * Reads all files of a folder below `base`, so that a request reads none: neither a path nor a link leads out of it.
 * Leaves out names that begin with a dot. Returns the folder's absolute path too. Throws if there is no such folder,
 * for a link, and for too much content.
 */
export const readPageFolder = (base: string, folder: string) => {
  const root = realpathSync(base)
  const asked = resolve(root, folder)
  if (!existsSync(asked)) throw new Error(`there is no folder ${asked}`)
  const top = realpathSync(asked)
  const inside = relative(root, top)
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside))
    throw new Error(`${folder} must be a folder below ${base}`)
  const files = new Map<string, PageFile>()
  let left: number = most.bytes
  const walk = (path: string, name: string): void => {
    for (const entry of readdirSync(path, {withFileTypes: true})) {
      if (entry.name.startsWith(".")) continue
      const [at, own] = [join(path, entry.name), `${name}${entry.name}`]
      if (entry.isDirectory()) walk(at, `${own}/`)
      else if (entry.isFile()) {
        left -= statSync(at).size
        if (left < 0 || files.size === most.files)
          throw new Error(`${folder} has more than ${most.files} files or ${most.bytes / 1024 / 1024} MiB`)
        const bytes = new Uint8Array(readFileSync(at))
        files.set(own, {type: typeOf(entry.name), etag: `"${hash("sha256", bytes).slice(0, 32)}"`, bytes})
      } else throw new Error(`${join(folder, own)} is a link or a special file; only plain files are served`)
    }
  }
  walk(top, "")
  return {folder: top, files: files as PageFiles}
}
